import { Readable } from 'node:stream';
import type { OutputGap } from '../output-gap.ts';
import type { WantedOutput } from '../remote/transport.ts';
import type { JobOutput } from './job-reply.ts';

/** What is asked for of an output. */
export interface OutputQuestion {
  readonly at: number;
  /** 0 for nothing. */
  readonly maxBytes: number;
}

/** One output of a job, as far as it has been fetched. */
export interface FetchedOutput {
  readonly stream: Readable;
  readonly gaps: readonly OutputGap[];
  /** Whether all has been fetched that there is. */
  readonly isComplete: boolean;
  /** Whether more can be taken; where it cannot, `drained` resolves when it can. */
  readonly isOpen: boolean;
  drained(): Promise<void>;
  /** What to ask for next. */
  question(hasExited: boolean): OutputQuestion;
  take(output: JobOutput): void;
  end(): void;
}

/** How much of an output the sandbox keeps, in bytes; `null` for all of it, and then the job waits for the host. */
export interface KeptOutput {
  readonly headBytes: number;
  readonly tailBytes: number;
}

const maxAnswerBytes = 1_048_576;
/** Where all is fetched, an answer may be larger. */
const maxWholeBytes = 4_194_304;
/** What stands around the output itself: the tags of an answer, and a folder in them. */
const marginBytes = 65_536;
/** So much of each end is kept at least: a listener is to hear all of what is not much. */
const minEndBytes = 524_288;
/** The name of a sandbox's file system for no limit. */
const maxKeptBytes = 1e12;

/** What the sandbox is to keep. */
export function keptOutput(wanted: WantedOutput | undefined): KeptOutput | null {
  if (wanted === undefined || wanted.maxBytes > maxKeptBytes) return null;
  if (wanted.kind === 'latest') return { headBytes: 0, tailBytes: 2 * wanted.maxBytes };
  const part = (share: number) => Math.max(minEndBytes, Math.ceil(wanted.maxBytes * share)) + marginBytes;
  return { headBytes: part(0.4), tailBytes: part(0.6) };
}

/** Creates it. */
export function createFetchedOutput(wanted: WantedOutput | undefined): FetchedOutput {
  const kept = keptOutput(wanted);
  const gaps: OutputGap[] = [];
  let position = 0;
  let end = 0;
  let pushedBytes = 0;
  let isOpen = true;
  let wake: (() => void) | null = null;
  const stream = new Readable({
    highWaterMark: maxAnswerBytes,
    read() {
      isOpen = true;
      wake?.();
    },
  });

  return {
    stream,
    gaps,
    get isComplete() {
      return position >= end;
    },
    get isOpen() {
      return isOpen || stream.destroyed;
    },
    drained: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (isOpen || stream.destroyed) resolve();
      }),
    question(hasExited) {
      if (!isOpen || stream.destroyed) return { at: position, maxBytes: 0 };
      if (wanted?.kind === 'latest') return { at: position, maxBytes: wanted.maxBytes };
      if (kept === null) return { at: position, maxBytes: maxWholeBytes };
      if (!hasExited && position >= kept.headBytes) return { at: position, maxBytes: 0 };
      // What lies between the head and the tail is not fetched, even where it is still there.
      const at = position < kept.headBytes ? position : Math.max(position, end - kept.tailBytes);
      return { at, maxBytes: maxAnswerBytes };
    },
    take(output) {
      end = Math.max(end, output.end);
      for (const { at, bytes } of output.pieces) {
        if (at + bytes.length <= position) continue;
        if (at > position) gaps.push({ at: pushedBytes, bytes: at - position });
        const fresh = bytes.subarray(Math.max(0, position - at));
        position = at + bytes.length;
        pushedBytes += fresh.length;
        if (!stream.destroyed) isOpen = stream.push(fresh);
      }
      if (stream.destroyed) position = end;
    },
    end() {
      if (!stream.destroyed) stream.push(null);
    },
  };
}
