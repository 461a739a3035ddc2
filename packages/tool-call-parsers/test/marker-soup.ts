import fc from 'fast-check';

const fragments = [
  '<tool_call>',
  '</tool_call>',
  '<tool_call>\n{"name": "a", "arguments": {"k": "v"}}\n</tool_call>',
  '<tool_call>{"arguments": {"k": [1, {"l": null}]}, "name": "b"}',
  '{"name": "c", "parameters": {}}',
  '{"name": "',
  '{"name": "d", "arguments": ',
  '{"name": "e", "arguments": "{\\"a\\": 1}"}',
  '"arguments": {',
  '"name"',
  '"k": ',
  '}}',
  '{"',
  '","',
  '":"',
  '<tool_',
  '</tool',
  '<|im_end|>',
  '</s>',
  '<|im_',
  '[EOS]',
  'null',
  'true',
  '-1.5e3',
  '\\u00e9',
  '\\"',
  'word',
  '👋',
  ...'{}[]":,\\<>/ \n\t\u0001',
];

/** Text made of the markers of the format, of pieces of calls, and of what else may stand between them. */
export const markerSoup: fc.Arbitrary<string> = fc
  .array(
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...fragments) }, fc.string({ maxLength: 6, unit: 'binary' })),
    {
      maxLength: 24,
    },
  )
  .map((parts) => parts.join(''));

/** Numbers that say where a text is cut. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });

/** The pieces of a text that is cut at these places. */
export function cutAt(text: string, places: readonly number[]): readonly string[] {
  const sorted = [...new Set([0, text.length, ...places.map((place) => place % (text.length + 1))])].sort(
    (a, b) => a - b,
  );
  return sorted.slice(1).map((to, index) => text.slice(sorted[index], to));
}
