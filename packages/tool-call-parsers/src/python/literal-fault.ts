/** Why the text is no literal, because of what stands where the window stands, or since the text ended. */
export interface LiteralFault {
  /** The text ended too early, something else was expected, or it nests too deeply. */
  readonly kind: 'truncated' | 'bad-structure' | 'limit';
  /** What was expected; for `limit`, what is wrong. */
  readonly reason: string;
}

/** Something else stands there. */
export function unexpected(reason: string): LiteralFault {
  return { kind: 'bad-structure', reason };
}

/** The text is over. */
export function cutShort(reason: string): LiteralFault {
  return { kind: 'truncated', reason };
}
