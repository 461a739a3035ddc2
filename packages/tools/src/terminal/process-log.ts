import type { SandboxProcess } from '@talaria/terminal-backends';

/** Characters of output kept per process. */
const maxKeptChars = 200_000;
const chunkBytes = 262_144;

/** The end of a process's output as text, read piece by piece. */
export interface ProcessLog {
  /** Reads what was written since the last time. */
  update(signal: AbortSignal | undefined): Promise<void>;
  /** The last 200,000 characters. */
  readonly text: string;
  /** Lines before those in `text`. */
  readonly droppedLines: number;
  /** Whether output before `text` is no longer kept. */
  readonly isTruncated: boolean;
  /** Bytes that the sandbox no longer had when they were to be read: their lines are not counted. */
  readonly droppedBytes: number;
  /** What came since this was asked last. */
  takeNew(): string;
}

/** Creates a log that has read nothing yet. */
export function createProcessLog(process: SandboxProcess): ProcessLog {
  const decoder = new TextDecoder();
  let offset = 0;
  let text = '';
  let unseen = '';
  let droppedLines = 0;
  let isTruncated = false;
  let droppedBytes = 0;
  let updating: Promise<void> = Promise.resolve();

  function append(piece: string): void {
    unseen = (unseen + piece).slice(-maxKeptChars);
    text += piece;
    if (text.length <= maxKeptChars) return;
    // Whole lines, so that line numbers stay right; a single longer line is cut.
    const cut = text.length - maxKeptChars;
    const lineEnd = text.indexOf('\n', cut);
    const end = lineEnd === -1 ? cut : lineEnd + 1;
    droppedLines += countBreaks(text.slice(0, end));
    text = text.slice(end);
    isTruncated = true;
  }

  async function readAll(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const piece = await process.readOutput(offset, { maxBytes: chunkBytes, signal });
      droppedBytes += piece.droppedBytes;
      if (piece.bytes.length > 0) append(decoder.decode(piece.bytes, { stream: true }));
      offset = piece.offset + piece.bytes.length;
      if (piece.bytes.length === 0 || offset >= piece.totalBytes) return;
    }
  }

  return {
    update(signal) {
      // One reader at a time: two would decode the same bytes twice.
      updating = updating.then(
        () => readAll(signal),
        () => readAll(signal),
      );
      return updating;
    },
    get text() {
      return text;
    },
    get droppedLines() {
      return droppedLines;
    },
    get isTruncated() {
      return isTruncated || droppedBytes > 0;
    },
    get droppedBytes() {
      return droppedBytes;
    },
    takeNew() {
      const taken = unseen;
      unseen = '';
      return taken;
    },
  };
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
