/** Tokens with which models end their turn. At the very end of the text they are no content. */
export const endOfTurnTokens: readonly string[] = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '</s>',
  '<|endoftext|>',
  '<｜end▁of▁sentence｜>',
  '[EOS]',
  '<|return|>',
  '<|end|>',
  '<end_of_turn>',
];
