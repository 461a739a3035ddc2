import type { JsonObject } from '@talaria/core';
import type { FileContent, FileStat, SandboxHandle } from '@talaria/terminal-backends';
import type { ToolCallOutcome } from '@talaria/tools';
import type { BrowserPage, WebHit, WebPage } from './web-access.ts';

/** What a command of the verifier did. */
export interface TerminalOutcome {
  /** Standard output and error as they came, not trimmed, at most `maxOutputBytes`. */
  readonly output: string;
  /** 124 where it ran out of time. */
  readonly exitCode: number;
  readonly isTimedOut: boolean;
  readonly isTruncated: boolean;
}

/** What a program of the verifier did. */
export interface ProgramOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTimedOut: boolean;
  readonly isTruncated: boolean;
}

/** Options of {@link ToolContext.terminal} and {@link ToolContext.exec}. */
export interface CommandOptions {
  /** @default 180_000 */
  readonly timeoutMs?: number | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: string | Uint8Array | undefined;
  /** @default 10_485_760 */
  readonly maxOutputBytes?: number | undefined;
}

/** One file moved. */
export interface FileTransfer {
  readonly bytes: number;
  readonly sha256: string;
}

/** A folder moved. */
export interface FolderTransfer {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** One line that a search found. */
export interface SearchMatch {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly content: string;
}

/**
 * What a reward function holds: the rollout's own sandbox, and every tool, without the limits that the model has (no
 * trimming, no line numbers, no approval, no repeat guards). A failure of the sandbox rejects with `SandboxError`; it is
 * never a reward of zero.
 */
export interface ToolContext {
  readonly taskId: string;
  /** Runs a bash command in the sandbox, in the folder that the model left. */
  terminal(command: string, options?: CommandOptions): Promise<TerminalOutcome>;
  /** Runs a program with exact arguments, without a shell. */
  exec(words: readonly string[], options?: CommandOptions): Promise<ProgramOutcome>;
  /** A whole file, decoded as UTF-8 with U+FFFD for what is none; exact bytes: `readBytes`. */
  readText(path: string): Promise<string>;
  readBytes(path: string, options?: { readonly maxBytes?: number | undefined }): Promise<FileContent>;
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  exists(path: string): Promise<boolean>;
  stat(path: string): Promise<FileStat | null>;
  /**
   * Lines that match, in the text files below a path, in the order of the search; fewer than `limit` are all there are.
   * A regular expression of the dialect that the tool `search_files` knows.
   */
  search(
    pattern: string,
    options?: { readonly path?: string | undefined; readonly limit?: number | undefined },
  ): Promise<readonly SearchMatch[]>;
  uploadFile(hostPath: string, path: string): Promise<FileTransfer>;
  uploadFolder(hostPath: string, path: string): Promise<FolderTransfer>;
  downloadFile(path: string, hostPath: string): Promise<FileTransfer>;
  downloadFolder(path: string, hostPath: string): Promise<FolderTransfer>;
  /**
   * Searches the web with the run's provider. @default 5 results
   * @throws TaskError `task.tool-failed`, here and in the other three, where the tool is not configured or fails
   */
  webSearch(query: string, options?: { readonly limit?: number | undefined }): Promise<readonly WebHit[]>;
  /** Reads up to five pages. One that cannot be read says so in its `error`. */
  webExtract(urls: readonly string[]): Promise<readonly WebPage[]>;
  /** Opens an address in the very browser tab that the model left. */
  browserNavigate(url: string): Promise<BrowserPage>;
  /** What is on the page of that tab now, as an accessibility tree. */
  browserSnapshot(): Promise<string>;
  /** Calls any tool of the registry, offered to the model or not. */
  callTool(name: string, args: JsonObject): Promise<ToolCallOutcome>;
  /** The sandbox itself, opened now if the model never used it. */
  sandbox(): Promise<SandboxHandle>;
  /** Whether the sandbox was opened by the verifier because the model used no tool. */
  readonly isCreatedByVerifier: boolean;
  /**
   * Ends the rollout's processes. The sandbox stays its owner's and keeps its files, temporary ones too, until it is closed.
   * Never throws.
   */
  cleanup(): Promise<void>;
}
