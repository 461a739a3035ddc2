/** One thing that every store of a kind promises. */
export interface StoreContractCase<Store extends AsyncDisposable> {
  readonly name: string;
  /** Opens empty stores and tries them. Rejects where the promise is broken. */
  readonly run: (open: () => Promise<Store>) => Promise<void>;
}
