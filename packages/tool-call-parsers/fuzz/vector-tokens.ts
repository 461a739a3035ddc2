/** Tags, words, white space, and every other character alone. */
const token = /<[^<>\s"]{1,60}>|<\/?[\w:｜▁|]+|\[\/?[A-Z_]+\]|\w+|\s+|[^\w\s]/gu;

/** The pieces of a format's text that mean something, in order. Joined they are the text again. */
export function splitTokens(text: string): readonly string[] {
  return text.match(token) ?? [];
}

/** What may stand in the text of any format. */
export const commonFragments: readonly string[] = [
  '{"name": "a", "arguments": {}}',
  '{"name": "b", "parameters": {"k": [1, {"l": null}]}}',
  '[{"name": "c", "arguments": {"k": "v"}}]',
  '{"name": "',
  '{"arguments": {"k": 1}, "name": "d"}',
  '"arguments": {',
  '"arguments": "{\\"k\\": 1}"',
  '{"a": "',
  '"k": ',
  '}}',
  '"}',
  '[ping()]',
  "f(k='v', n=-1.5)",
  '<think>',
  '</think>',
  '```',
  '```json\n',
  '<|im_end|>',
  '</s>',
  '<|end|>',
  '<|im_',
  '[EOS]',
  '<｜end▁of▁sentence｜>',
  'null',
  'True',
  '-1.5e3',
  '\\u00e9',
  '\\ud83d',
  '\\n',
  '\\"',
  '&quot;',
  '<![CDATA[',
  'word',
  'Two words.',
  '\n\n',
  '👋',
  '\ud83d',
  '\udc4b',
  '\u00a0',
  '\u0000',
  '__proto__',
  ...'{}[]()"\':,;=\\<>/|&` \n\t',
];
