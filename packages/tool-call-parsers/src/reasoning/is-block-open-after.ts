import type { ReasoningTags } from './reasoning-parser.ts';

/**
 * What chat templates print between turns: `<|im_end|>`, `<｜Assistant｜>`, `</s>`, `[/INST]`, `<start_of_turn>`,
 * `<end_of_sentence>`, `<seed:eos>`, `]~b]` and the like.
 */
const turnEdge = /<[|｜][^<>\s]{1,64}[|｜]>|<\/?s>|\[\/?INST\]|<\w{3,9}_of_\w{4,8}>|<seed:[be]os>|\]~b\]|\[e~\[/;

/**
 * Whether a prompt ends inside the block between these tags. An open tag that an earlier turn closed, or that a user
 * wrote about, does not count: the next turn begins behind it.
 */
export function isBlockOpenAfter(prompt: string, tags: ReasoningTags): boolean {
  const open = prompt.lastIndexOf(tags.open);
  if (open < 0) return false;
  const block = prompt.slice(open + tags.open.length);
  return !block.includes(tags.close) && !turnEdge.test(block);
}
