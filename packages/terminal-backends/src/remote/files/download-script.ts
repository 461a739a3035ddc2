import type { StreamedFile } from './read-file.ts';
import type { RunningScript } from './running-script.ts';

/** A script that sends a file or a folder, and what it said of it. */
export interface Download {
  readonly running: RunningScript;
  readonly streamed: StreamedFile;
}
