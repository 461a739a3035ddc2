import type { ToolCallParser } from '../tool-call-parser.ts';
import { cutEvery, seededNumbers } from './chunkings.ts';
import { type ContractCase, demand, show } from './contract-case.ts';
import { requireSame, requireSound } from './result-checks.ts';
import { countingIds, streamResult } from './stream-run.ts';
import type { ToolCallVector } from './tool-call-vector.ts';

/** The cases that concern texts at large: I3, I5, I6, S9, S10. The vectors serve as material. */
export function textCases(vectors: readonly ToolCallVector[], seed: number): readonly ContractCase<ToolCallParser>[] {
  return [plainText, keepsText(vectors), cutText(vectors), separateStreams(vectors), hostileText(vectors, seed)];
}

const plainText: ContractCase<ToolCallParser> = {
  name: 'I3: text without a call is content to the letter',
  async run(open) {
    const parser = await open();
    for (const text of [
      '',
      ' ',
      '\n\n',
      'a',
      ' One, two.\n\nThree: 1 < 2 > 0. ',
      '{"a": [1, 2]}',
      '日本 👩‍👩‍👧 \ud83d',
    ]) {
      const result = parser.parse(text);
      demand(result.content === text && result.toolCalls.length === 0, () => `${show(text)} became ${show(result)}`);
    }
  },
};

function keepsText(vectors: readonly ToolCallVector[]): ContractCase<ToolCallParser> {
  return {
    name: 'I5: text before and after calls is kept, in order',
    async run(open) {
      const parser = await open();
      for (const { input, tools, toolCalls } of vectors) {
        if (toolCalls.length === 0 || parser.parse(input, { tools }).errors.length > 0) continue;
        const text = `Alpha. ${input} Omega.`;
        const { content } = parser.parse(text, { tools });
        const isKept = content?.startsWith('Alpha.') === true && content.endsWith('Omega.');
        demand(isKept, () => `Text was lost: ${show(text)} has the content ${show(content)}`);
      }
    },
  };
}

function cutText(vectors: readonly ToolCallVector[]): ContractCase<ToolCallParser> {
  return {
    name: 'I6: a text that is cut anywhere holds no call that the whole text does not hold',
    async run(open) {
      const parser = await open();
      for (const { input, tools } of vectors) {
        const whole = parser.parse(input, { tools, idFactory: countingIds() });
        if (whole.errors.length > 0) continue;
        for (let length = 0; length < input.length; length += 1) {
          const cut = parser.parse(input.slice(0, length), { tools, idFactory: countingIds() });
          requireSound(cut, input.slice(0, length));
          const held = whole.toolCalls.slice(0, cut.toolCalls.length);
          const isSame = JSON.stringify(cut.toolCalls) === JSON.stringify(held);
          demand(isSame, () => `${show(input.slice(0, length))} gave ${show(cut.toolCalls)}, the whole ${show(held)}`);
        }
      }
    },
  };
}

function separateStreams(vectors: readonly ToolCallVector[]): ContractCase<ToolCallParser> {
  return {
    name: 'S9: two streams that are fed in turns do not meet',
    async run(open) {
      const parser = await open();
      for (const [index, vector] of vectors.entries()) {
        const other = vectors[(index + 1) % vectors.length] ?? vector;
        const inputs = [vector, other];
        const streams = inputs.map(({ tools }) => parser.stream({ tools, idFactory: countingIds() }));
        const events = streams.map((): string[] => []);
        for (let at = 0; at < Math.max(vector.input.length, other.input.length); at += 3) {
          for (const [side, stream] of streams.entries()) {
            const piece = inputs[side]?.input.slice(at, at + 3) ?? '';
            events[side]?.push(...stream.feed(piece).map((event) => JSON.stringify(event)));
          }
        }
        for (const [side, stream] of streams.entries()) {
          events[side]?.push(...stream.finish().map((event) => JSON.stringify(event)));
          const alone = aloneEvents(parser, inputs[side] ?? vector);
          demand(
            events[side]?.join() === alone.join(),
            () => `${show(inputs[side]?.input)} was read otherwise in turns`,
          );
        }
      }
    },
  };
}

function aloneEvents(parser: ToolCallParser, { input, tools }: ToolCallVector): readonly string[] {
  const stream = parser.stream({ tools, idFactory: countingIds() });
  const events = cutEvery(input, 3).flatMap((piece) => stream.feed(piece));
  return [...events, ...stream.finish()].map((event) => JSON.stringify(event));
}

function hostileText(vectors: readonly ToolCallVector[], seed: number): ContractCase<ToolCallParser> {
  return {
    name: 'S10: no text makes it throw, and cut or mixed texts read the same in every chunking',
    async run(open) {
      const parser = await open();
      const random = seededNumbers(seed);
      const pick = (): string => vectors[Math.floor(random() * vectors.length)]?.input ?? '';
      const part = (text: string): string => {
        const from = Math.floor(random() * text.length);
        return text.slice(from, from + Math.floor(random() * 40));
      };
      for (let round = 0; round < 500; round += 1) {
        const markers = parser.startMarkers.join(random() < 0.5 ? '' : ' ');
        const text = [part(pick()), random() < 0.5 ? markers : '', part(pick()), part(pick())].join('');
        const whole = parser.parse(text, { idFactory: countingIds() });
        requireSound(whole, text);
        for (const commit of ['call', 'eager'] as const) {
          requireSame(
            streamResult(parser, cutEvery(text, 1), commit),
            whole,
            () => `By single units in ${commit} mode`,
          );
        }
      }
    },
  };
}
