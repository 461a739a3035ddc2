import type { StreamEvent, ToolCallParser, ToolSchema } from '../tool-call-parser.ts';
import { type ContractCase, demand, show } from './contract-case.ts';

const probeTool: ToolSchema = {
  type: 'function',
  function: { name: 'probe', parameters: { type: 'object', properties: { text: { type: 'string' } } } },
};

/** Longest marker that a stream may have to hold back. */
const longestHold = 64;

/** The cases that concern what flows when: S5, S6, S8. */
export const flowCases: readonly ContractCase<ToolCallParser>[] = [
  {
    name: 'S5: plain text flows, but for white space at its end and what may become a marker',
    async run(open) {
      const stream = (await open()).stream();
      const text = 'Plain words, one after another. '.repeat(40);
      let received = '';
      for (let at = 0; at < text.length; at += 1) {
        received += contentOf(stream.feed(text.charAt(at)));
        const held = at + 1 - received.length;
        demand(held <= longestHold && text.startsWith(received), () => `${held} characters of text are held back`);
      }
      received += contentOf(stream.finish());
      demand(received === text, () => `The text became ${show(received)}`);
    },
  },
  {
    name: 'S5: in eager mode a long string argument flows',
    async run(open) {
      const parser = await open();
      const calls = [{ name: 'probe', arguments: { text: 'x'.repeat(4000) } }];
      const text = parser.render(calls, { tools: [probeTool] });
      const events = parser.stream({ commit: 'eager', tools: [probeTool] }).feed(text.slice(0, text.length / 2));
      const received = events.reduce(
        (sum, event) => sum + (event.type === 'call-arguments' ? event.delta.length : 0),
        0,
      );
      demand(received > 1000, () => `Half of a long call gave ${received} characters of arguments: ${show(events)}`);
    },
  },
  {
    name: 'S6: a call without arguments yields an empty object, in both commit modes',
    async run(open) {
      const parser = await open();
      const text = parser.render([{ name: 'probe', arguments: {} }]);
      for (const commit of ['call', 'eager'] as const) {
        const stream = parser.stream({ commit });
        const events = [...stream.feed(text), ...stream.finish()];
        const deltas = events.map((event) => (event.type === 'call-arguments' ? event.delta : '')).join('');
        demand(deltas === '{}', () => `${show(text)} gave ${show(events)} in ${commit} mode`);
      }
    },
  },
  {
    name: 'S8: after finish, feed and finish throw',
    async run(open) {
      const stream = (await open()).stream();
      stream.finish();
      demand(
        doesThrow(() => stream.feed('a')),
        () => 'feed did not throw after finish',
      );
      demand(
        doesThrow(() => stream.finish()),
        () => 'finish did not throw after finish',
      );
    },
  },
];

function contentOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === 'content' ? event.text : '')).join('');
}

function doesThrow(action: () => unknown): boolean {
  try {
    action();
  } catch {
    // Whatever it throws: the contract asks for no class.
    return true;
  }
  return false;
}
