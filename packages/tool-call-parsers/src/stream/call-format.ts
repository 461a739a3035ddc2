import type { CallReader } from './call-reader.ts';

/** A call to be written, its arguments as text of one JSON object. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
}

/** All that sets one text format apart from the others. */
export interface CallFormat {
  readonly name: string;
  /** Other names under which users know the format. */
  readonly aliases?: readonly string[] | undefined;
  /** The texts with which a call begins. */
  readonly startMarkers: readonly string[];
  /** A reader for the call whose start marker ends at `start`. */
  readonly createReader: (start: number, marker: string) => CallReader;
  /** What stands between content and the first call. */
  readonly separator: string;
  /** The calls as a model of this family writes them. */
  readonly write: (calls: readonly WrittenCall[]) => string;
}
