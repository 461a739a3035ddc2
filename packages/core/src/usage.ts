/**
 * Tokens of one or more model calls, in OpenAI's spelling.
 * Counts that the provider did not report are absent, not zero.
 */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: {
    /** Part of `prompt_tokens` that the provider read from its cache. */
    readonly cached_tokens?: number | undefined;
  };
  readonly completion_tokens_details?: {
    /** Part of `completion_tokens` that went into reasoning. */
    readonly reasoning_tokens?: number | undefined;
  };
}

/** Usage of nothing: the neutral element of {@link addUsage}. */
export const noUsage: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Sums two usages. A detail is present in the sum where it is present in either. */
export function addUsage(left: Usage, right: Usage): Usage {
  const cached = addKnown(left.prompt_tokens_details?.cached_tokens, right.prompt_tokens_details?.cached_tokens);
  const reasoning = addKnown(
    left.completion_tokens_details?.reasoning_tokens,
    right.completion_tokens_details?.reasoning_tokens,
  );
  return {
    prompt_tokens: left.prompt_tokens + right.prompt_tokens,
    completion_tokens: left.completion_tokens + right.completion_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

function addKnown(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : left + right;
}
