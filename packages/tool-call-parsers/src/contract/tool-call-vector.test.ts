import { expect, test } from '@jest/globals';
import { ContractFailure, readToolCallVectors } from '@talaria/tool-call-parsers/contract';

const vector = { name: 'one call', input: 'text', expect: { content: 'text', tool_calls: [] } };

/** Lines, of which the second is blank and the third holds the vector that is meant. */
function lines(changes: object): string {
  return [vector, '', { ...vector, ...changes }].map((line) => (line === '' ? line : JSON.stringify(line))).join('\n');
}

test('tools of every shape that the parsers know are kept', () => {
  const tools = [
    { type: 'function', function: { name: 'a', parameters: {} } },
    { function: { name: 'b' } },
    { type: 'function', name: 'c' },
    { name: 'd' },
    { type: 'web_search' },
  ];
  expect(readToolCallVectors(lines({ tools })).map((read) => read.tools)).toEqual([undefined, tools]);
  expect(readToolCallVectors(lines({ tools: null }))[1]?.tools).toBeUndefined();
});

const noTool = 'a tool is neither a function with a name nor of another type';

test.each([
  ['a tool without a name', { tools: [{ name: 'a' }, { type: 'function' }] }, `${noTool}: {"type":"function"}`],
  ['a function without a name', { tools: [{ function: { title: 'a' } }] }, `${noTool}: {"function":{"title":"a"}}`],
  ['a tool that is a name', { tools: ['a'] }, `${noTool}: "a"`],
  ['no list of tools', { tools: { name: 'a' } }, 'the tools are no list: {"name":"a"}'],
  [
    'content that is no text',
    { expect: { content: 5, tool_calls: [] } },
    'the expected content is neither a string nor null: 5',
  ],
  [
    'a call without a name',
    { expect: { content: null, tool_calls: [{}] } },
    'an expected call is no {name, arguments}: {}',
  ],
])('%s is told, with file, line and name', (_title, changes, message) => {
  const read = (file?: string) => () => readToolCallVectors(lines(changes), file);
  expect(read('own.jsonl')).toThrow(new ContractFailure(`own.jsonl, line 3, "one call": ${message}`));
  expect(read()).toThrow(`vectors, line 3, "one call": ${message}`);
});

test('a line that is no vector is told, with file and line', () => {
  expect(() => readToolCallVectors(lines({ input: 5 }), 'own.jsonl')).toThrow(
    'own.jsonl, line 3: no vector {name, input, expect: {content, tool_calls}}: {"name":"one call","input":5',
  );
});
