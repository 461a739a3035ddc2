// Tool calls that a model wrote as text: choose the format, read them whole, read them while they arrive together with
// the reasoning, and write them again.
import {
  createAnswerParser,
  detectFormat,
  foldAnswerEvents,
  getParser,
  type ToolSchema,
} from '@talaria/tool-call-parsers';

// Which format a model writes: by its name, or, which says more, by the text of its chat template.
const found = detectFormat('Qwen/Qwen3-Coder-30B-A3B-Instruct');
console.log('format:', found);
const parser = getParser(found?.parser ?? 'hermes');

// This format writes every value as plain text. What `42` means, only the tools that the model was told of say.
const tools: readonly ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'write_file',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' }, mode: { type: 'integer' } },
        required: ['path', 'content'],
      },
    },
  },
];
const text = `I write it down.
<tool_call>
<function=write_file>
<parameter=path>
answer.txt
</parameter>
<parameter=content>
42
</parameter>
<parameter=mode>
420
</parameter>
</function>
</tool_call>`;

const { content, toolCalls, errors } = parser.parse(text, { tools });
console.log('whole:', { content, toolCalls, errors });
console.log('without the tools:', parser.parse(text).toolCalls[0]?.arguments);

// A call that was cut is never returned: its text stays, and the error says where it was.
console.log('cut:', parser.parse(text.slice(0, 120), { tools, finishReason: 'length' }).errors);

// While it arrives: reasoning first, calls in what remains. `eager` tells of a call before it is complete.
const answers = createAnswerParser({ reasoning: 'qwen3', toolCalls: parser });
const stream = answers.stream({ tools, commit: 'eager' });
const pieces = `<think>\nThey want the answer.\n</think>\n\n${text}`.match(/.{1,24}/gs) ?? [];
const events = [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
for (const event of events) console.log('streamed:', event);
console.log('all events together:', foldAnswerEvents(events));

// And back: only what would be read back the same is written.
const second = { name: 'write_file', arguments: { path: 'b.txt', content: 'if (a < b) { return "<b>"; }' } };
const calls = [...toolCalls, second];
if (parser.canRender(calls, { tools })) console.log(parser.render(calls, { content, tools }));
