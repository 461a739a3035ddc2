/** One result of a search. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  /** What the page says about the query, in a few sentences. Empty where the provider gives nothing. */
  readonly description: string;
}

/** A page that was read. */
export interface ExtractedPage {
  /** The address that answered, after redirects. */
  readonly url: string;
  /** Empty where it has none. */
  readonly title: string;
  /** Markdown, or text as it came. */
  readonly content: string;
  /** HTTP status of the page; `null` where the provider does not tell. */
  readonly status: number | null;
  /** Media type of the page; `null` where the provider does not tell. */
  readonly contentType: string | null;
  /** Whether the page was too large to be read to its end. */
  readonly isIncomplete: boolean;
}

/** Options of {@link WebProvider.search}. */
export interface SearchOptions {
  /** Most results, 1 to 10. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link WebProvider.extract}. */
export interface ExtractOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * When the caller gives up, in milliseconds from now. A provider may give less of a page in time rather than all of it
   * too late. @default never
   */
  readonly timeLimitMs?: number | undefined;
  /** Stands for the rollout that asks: what all share, a provider shares out among them. @default nobody */
  readonly caller?: object | undefined;
}

/**
 * Searches the web, reads pages, or both. A method that is absent cannot be done. Both reject with a `WebError` or a
 * `UrlRefusedError` where they fail, and with the signal's reason once it is aborted and everything is closed.
 */
export interface WebProvider extends Partial<AsyncDisposable> {
  /** Short; part of what recorded answers are found by. */
  readonly name: string;
  search?(query: string, options: SearchOptions): Promise<readonly SearchHit[]>;
  extract?(url: string, options?: ExtractOptions): Promise<ExtractedPage>;
}
