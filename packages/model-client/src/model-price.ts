/** What the tokens of one model cost, in US dollars per million. */
export interface ModelPrice {
  readonly inputUsd: number;
  /** Input that the provider read from its cache. @default `inputUsd` */
  readonly cachedInputUsd?: number | undefined;
  readonly outputUsd: number;
  /** Output that went into reasoning. @default `outputUsd` */
  readonly reasoningUsd?: number | undefined;
  /** Other prices for the whole request once its input is longer than this many tokens. */
  readonly longContext?: LongContextPrice | undefined;
}

/** Prices of requests with a long input. */
export interface LongContextPrice {
  /** The first length of input, in tokens, that is still charged at the ordinary price. */
  readonly aboveInputTokens: number;
  readonly inputUsd: number;
  readonly cachedInputUsd?: number | undefined;
  readonly outputUsd: number;
}

/** Prices by name: `vendor/model`, or a bare name as some endpoint serves it. */
export type PriceList = Readonly<Record<string, ModelPrice>>;
