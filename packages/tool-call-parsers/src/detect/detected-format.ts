/**
 * How far a suggestion can be trusted. `high`: a mark or name that only this format has. `medium`: others share the
 * mark, or the name is that of a derived model. `low`: only the family is known, and its members differ.
 */
export type DetectionConfidence = 'high' | 'medium' | 'low';

/** A parser that a chat template or a model name speaks for. */
export interface DetectedFormat {
  /** Name of the tool-call parser, for `getParser`. */
  readonly parser: string;
  /** Name of the reasoning parser; absent where nothing speaks for one. */
  readonly reasoning?: string | undefined;
  readonly confidence: DetectionConfidence;
  /** What was looked at. */
  readonly source: 'template' | 'name';
  /** One phrase for people: which mark or which part of the name decided. */
  readonly evidence: string;
}
