/** A file that is to be carried into a sandbox. */
export interface CarriedFileTarget {
  /** Real path of its folder, inside the sandbox. */
  readonly folder: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** Numbers of the user and the group that it is to belong to. */
  readonly owner: { readonly userId: number; readonly groupId: number };
}

/** A file that is carried out of a sandbox. */
export interface CarriedFileSource {
  /** As it was when the carrying began. */
  readonly sizeBytes: number;
  /** Exactly so many bytes, or it fails. */
  readonly content: AsyncIterable<Buffer>;
  /** Lets go of it. To be called whether or not the content was taken: until then it may hold others up. */
  close(): void;
}

/**
 * Carries single large files past all processes of a sandbox, where that is faster than through one. It acts as root, and
 * reaches only what is on the file system that is mounted at `/`: whoever uses it makes sure of both before, and can do
 * without it where it fails.
 */
export interface FileCarrier {
  /** Sizes that it is used for, both inclusive. */
  readonly minBytes: number;
  readonly maxBytes: number;
  /**
   * Writes a file in the place of one of that name. Once this has settled, nothing is written any more; a part of the file
   * may be there where it rejects. Fewer bytes than were told make it reject.
   */
  put(target: CarriedFileTarget, content: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void>;
  /** Reads a regular file; `path` is real. */
  get(path: string, signal: AbortSignal | undefined): Promise<CarriedFileSource>;
}
