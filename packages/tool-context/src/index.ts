export { createToolContext } from './create-tool-context.ts';
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
