// Tool calls that a model wrote as text: read them whole, read them while they arrive, and write them again.
import { getParser } from '@talaria/tool-call-parsers';

const text = `I look first.
<tool_call>
{"name": "terminal", "arguments": {"command": "ls -la"}}
</tool_call>`;

const hermes = getParser('hermes');

const { content, toolCalls, errors } = hermes.parse(text);
console.log('whole:', { content, toolCalls, errors });

const stream = hermes.stream();
for (const piece of text.match(/.{1,12}/gs) ?? []) {
  for (const event of stream.feed(piece)) console.log('streamed:', event);
}
for (const event of stream.finish()) console.log('streamed:', event);

console.log(hermes.render(toolCalls, { content }));
