export type {
  CommandOptions,
  FileTransfer,
  FolderTransfer,
  ProgramOutcome,
  SearchMatch,
  TerminalOutcome,
  ToolContext,
} from './tool-context.ts';
