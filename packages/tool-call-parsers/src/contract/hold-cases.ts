import type { CommitMode, StreamEvent, ToolCallParser } from '../tool-call-parser.ts';
import { type ContractCase, demand, show } from './contract-case.ts';

const commitModes: readonly CommitMode[] = ['call', 'eager'];

/** How much of a text may be held back behind a marker that begins no call: a name of any length, and some markup. */
const longestDoubt = 400;

/** The cases that concern how long text is held back (S5). */
export const holdCases: readonly ContractCase<ToolCallParser>[] = [
  {
    name: 'S5: the beginning of a marker comes out as soon as it goes on otherwise',
    async run(open) {
      const parser = await open();
      const beginnings = parser.startMarkers.flatMap((marker) =>
        Array.from({ length: marker.length - 1 }, (_, index) => marker.slice(0, index + 1)),
      );
      for (const beginning of new Set(beginnings)) requireHeard(parser, `Words ${beginning}é`, 0);
    },
  },
  {
    name: 'S5: white space comes out as soon as a word follows',
    async run(open) {
      const parser = await open();
      for (const space of [' ', '\n\n', ' \t\r\n'.repeat(50), '</s> ']) requireHeard(parser, `Words${space}é`, 0);
    },
  },
  {
    name: 'S5: a marker that is only mentioned does not silence the rest',
    async run(open) {
      const parser = await open();
      for (const marker of parser.startMarkers) {
        requireHeard(parser, `Words ${marker} are a marker, ${'and this goes on and on, '.repeat(80)}`, longestDoubt);
      }
    },
  },
];

/** That all of a text without calls but for so many characters comes out while it still goes on, and as it is. */
function requireHeard(parser: ToolCallParser, text: string, longestHold: number): void {
  for (const commit of commitModes) {
    const stream = parser.stream({ commit });
    const heard = text
      .split('')
      .flatMap((unit) => contentOf(stream.feed(unit)))
      .join('');
    const held = text.length - heard.length;
    const isPart = text.startsWith(heard);
    demand(isPart, () => `In ${commit} mode ${show(text)} came out as ${show(heard)}`);
    demand(held <= longestHold, () => `In ${commit} mode ${held} characters of ${show(text)} are held back`);
  }
}

function contentOf(events: readonly StreamEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'content' ? [event.text] : []));
}
