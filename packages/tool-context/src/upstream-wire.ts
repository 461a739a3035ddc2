/** What upstream's `terminal` returns. */
export interface UpstreamTerminalResult {
  readonly output: string;
  /** 124 where it ran out of time. */
  readonly exit_code: number;
  readonly error: string | null;
}

/** What upstream's `read_file` returns: the model's view of a file, with numbered lines. */
export interface UpstreamReadResult {
  readonly content: string;
  readonly total_lines: number;
  readonly file_size: number;
  readonly truncated: boolean;
  readonly is_binary: boolean;
  readonly is_image: boolean;
  readonly [field: string]: unknown;
}

/** What upstream's `write_file` returns. */
export interface UpstreamWriteResult {
  readonly bytes_written: number;
  readonly dirs_created: boolean;
  readonly error?: string;
}

/** What upstream's `upload_file` returns: -1 where nothing was uploaded. */
export interface UpstreamUploadResult {
  readonly output: string;
  readonly exit_code: number;
}

/** What upstream's `download_file` returns. */
export type UpstreamDownloadResult =
  | { readonly success: true; readonly bytes: number }
  | { readonly success: false; readonly error: string };

/** What upstream's `search` returns. */
export type UpstreamSearchResult =
  | {
      readonly total_count: number;
      readonly matches: readonly { readonly path: string; readonly line: number; readonly content: string }[];
      readonly truncated?: true;
    }
  | { readonly error: string };

/** JSON of a tool, parsed; `{ error }` where it failed or is no object. */
export type UpstreamToolResult = Readonly<Record<string, unknown>>;

/**
 * Upstream's `ToolContext` (`environments/tool_context.py`): its names, its argument order, its dictionaries. For reward
 * functions that were written for it. A fault of a file is a dictionary, as there; a failing sandbox still rejects with
 * `SandboxError`, since it must never look like a wrong answer.
 */
export interface UpstreamToolContext {
  readonly task_id: string;
  /** `timeout` in seconds. @default 180 */
  terminal(command: string, timeout?: number): Promise<UpstreamTerminalResult>;
  read_file(path: string): Promise<UpstreamReadResult>;
  write_file(path: string, content: string): Promise<UpstreamWriteResult>;
  upload_file(local_path: string, remote_path: string): Promise<UpstreamUploadResult>;
  /** One result per file, in the order of their paths. */
  upload_dir(local_dir: string, remote_dir: string): Promise<readonly UpstreamUploadResult[]>;
  download_file(remote_path: string, local_path: string): Promise<UpstreamDownloadResult>;
  /** One result per file, in the order of their paths; links are left out. */
  download_dir(remote_dir: string, local_dir: string): Promise<readonly UpstreamDownloadResult[]>;
  search(query: string, path?: string): Promise<UpstreamSearchResult>;
  web_search(query: string): Promise<UpstreamToolResult>;
  web_extract(urls: readonly string[]): Promise<UpstreamToolResult>;
  browser_navigate(url: string): Promise<UpstreamToolResult>;
  browser_snapshot(): Promise<UpstreamToolResult>;
  /** The JSON text that the model would see. */
  call_tool(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  cleanup(): Promise<void>;
}
