import { defaultMaxBytes, defaultMaxFiles, treeTooLarge } from '../../host-files/plan-tree.ts';
import type { TransferOptions } from '../../sandbox.ts';
import type { ByteReader } from './byte-reader.ts';
import type { FileCall } from './file-call.ts';
import type { TreeWriter } from './tree-writer.ts';

/** A download of a folder while it is under way. */
export interface TreeDownload {
  readonly call: FileCall;
  readonly options: TransferOptions;
  readonly bytes: ByteReader;
  readonly writer: TreeWriter;
  /** Real path of the folder in the sandbox. */
  readonly root: string;
  readonly limits: TransferLimits;
  readonly skipped: { readonly path: string; readonly reason: string }[];
  readonly sums: Map<string, string>;
  /** Targets of links that are to be followed, by path. */
  readonly links: Map<string, string>;
  /** Folders whose names are no UTF-8, by what stands for them. */
  readonly unnamedFolders: Set<string>;
}

/** Counts what a transfer moves, and stops it at its limits. */
export class TransferLimits {
  readonly #call: FileCall;
  readonly #maxBytes: number;
  readonly #maxFiles: number;
  readonly #counts = { files: 0, folders: 0, others: 0 };
  bytes = 0;

  constructor(call: FileCall, { maxBytes = defaultMaxBytes, maxFiles = defaultMaxFiles }: TransferOptions) {
    this.#call = call;
    this.#maxBytes = maxBytes;
    this.#maxFiles = maxFiles;
  }

  get files(): number {
    return this.#counts.files;
  }

  /** @throws SandboxError `sandbox.too-large` */
  add(what: 'files' | 'folders' | 'others', sizeBytes = 0): void {
    this.#counts[what] += 1;
    this.bytes += sizeBytes;
    const { backend, path } = this.#call;
    if (this.bytes > this.#maxBytes) throw treeTooLarge(path, backend, 'maxBytes', this.#maxBytes);
    if (this.#counts[what] > this.#maxFiles) throw treeTooLarge(path, backend, 'maxFiles', this.#maxFiles);
  }

  /** A file that was counted is replaced by another. */
  takeBackFile(): void {
    this.#counts.files -= 1;
  }
}
