/**
 * What becomes of a tool call that begins inside the reasoning. `end-reasoning`: a well-formed one ends it, since some
 * models forget to close their reasoning. `ignore`: it is reasoning, a call that the model only thought of.
 */
export type CallsInReasoning = 'end-reasoning' | 'ignore';

/** The texts between which a model reasons. */
export interface ReasoningTags {
  readonly open: string;
  readonly close: string;
}

/** Options of reading one answer. */
export interface ReasoningOptions {
  /**
   * Whether the answer begins inside the reasoning, because the prompt ended there: `startsInReasoning(prompt, …)`
   * tells. @default what is usual in the family: `ReasoningParser.startsInReasoning`
   */
  readonly startsInReasoning?: boolean | undefined;
}

/** An answer in two parts. */
export interface ReasoningSplit {
  /** Without white space at its ends; `null` where there is none. */
  readonly reasoning: string | null;
  /** What remains for a tool-call parser to read. Empty where the answer was cut inside the reasoning. */
  readonly content: string;
}

/** A step of an answer that is being split. */
export type ReasoningEvent =
  | { readonly type: 'reasoning'; readonly text: string }
  /** `start` is the offset of `text` in the answer, in UTF-16 units. */
  | { readonly type: 'content'; readonly text: string; readonly start: number };

/** Splits one answer piece by piece. */
export interface ReasoningStream {
  feed(delta: string): readonly ReasoningEvent[];
  /** Says that the answer is over. Afterwards `feed` throws. */
  finish(): readonly ReasoningEvent[];
}

/** How one family of models marks its reasoning. */
export interface ReasoningParser {
  readonly name: string;
  /** Other names under which a registry finds it. */
  readonly aliases?: readonly string[] | undefined;
  /** Undefined where the reasoning is not one block between two tags: then calls inside it cannot end it. */
  readonly tags?: ReasoningTags | undefined;
  /** Whether an answer begins inside the reasoning where the prompt is not known. */
  readonly startsInReasoning: boolean;
  /**
   * Whether the request alone turns reasoning on: where an answer is said to begin outside, an open tag is text.
   * @default false: an open tag at the beginning of the answer opens the reasoning
   */
  readonly opensByRequestOnly?: boolean | undefined;
  /** What is usual for calls that begin inside the reasoning. */
  readonly callsInReasoning: CallsInReasoning;
  /** Whether a prompt, as the chat template made it, ends inside the reasoning of the answer to come. */
  isOpenAfter(prompt: string): boolean;
  /** Never throws, whatever the text. Equal to the stream fed once. */
  split(text: string, options?: ReasoningOptions): ReasoningSplit;
  stream(options?: ReasoningOptions): ReasoningStream;
}
