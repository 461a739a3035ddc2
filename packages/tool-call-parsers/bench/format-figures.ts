/** What was measured of a format. Rates are MB/s, a character counting as a byte; ratios compare times of one group. */
export interface FormatFigures {
  readonly format: string;
  /** On replies of 4 KiB, 64 KiB and 1 MiB. */
  readonly sizes: readonly SizeFigures[];
  /** Of the 64 KiB reply in 20-character deltas, commit mode `eager`. */
  readonly eagerRate: number;
  /** The 64 KiB reply beside the reference. */
  readonly plain: ReferenceFigures;
  /** The same with some text in other scripts, so that all of it takes two bytes a character. */
  readonly otherScripts: ReferenceFigures;
  /** Rate of the 64 KiB reply in 200-character deltas beside whole. */
  readonly by200ToWhole: number;
  readonly by20ToWhole: number;
  /** Time of the 1 MiB reply in 1-character deltas beside whole. */
  readonly by1TimesWhole: number;
  readonly by1Ms: number;
  /** Time of the 1 MiB reply beside that of 64 KiB, whole. */
  readonly growth: number;
  /** The same in 1-character deltas. */
  readonly by1Growth: number;
  /** On 4 KiB and 64 KiB. */
  readonly naive: readonly NaiveFigures[];
  readonly hostile: readonly HostileFigures[];
}

/** Rates on one reply. */
export interface SizeFigures {
  readonly length: number;
  readonly whole: number;
  /** In 200-character deltas, and so on. */
  readonly by200: number;
  readonly by20: number;
  readonly by1: number;
}

/** Rates of a reply, whole, and of `JSON.parse` on an OpenAI tool-call array that holds the same arguments. */
export interface ReferenceFigures {
  readonly whole: number;
  readonly reference: number;
}

/** Parsing the whole text again for each 20-character delta, beside streaming. */
export interface NaiveFigures {
  readonly length: number;
  /** Its time beside that of the stream; a lower bound where not all was read. */
  readonly timesStream: number;
  /** The part of the text that was read before it took too long: 1 is all. */
  readonly readShare: number;
}

/** A hostile text of 1 MiB beside one of 64 KiB. */
export interface HostileFigures {
  readonly family: string;
  readonly growth: number;
  readonly largeMs: number;
}
