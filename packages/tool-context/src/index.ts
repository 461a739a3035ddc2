export { createToolContext } from './create-tool-context.ts';
export { createUpstreamToolContext } from './create-upstream-tool-context.ts';
export { isFileFault } from './file-fault.ts';
export type {
  CommandOptions,
  FileTransfer,
  FolderTransfer,
  ProgramOutcome,
  SearchMatch,
  TerminalOutcome,
  ToolContext,
} from './tool-context.ts';
export type { ToolContextOptions } from './tool-context-options.ts';
export type {
  UpstreamDownloadResult,
  UpstreamReadResult,
  UpstreamSearchResult,
  UpstreamTerminalResult,
  UpstreamToolContext,
  UpstreamToolResult,
  UpstreamUploadResult,
  UpstreamWriteResult,
} from './upstream-wire.ts';
export type { BrowserPage, WebHit, WebPage } from './web-access.ts';
