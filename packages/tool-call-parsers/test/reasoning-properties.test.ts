import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import {
  type AnswerEvent,
  type AnswerParser,
  type AnswerStreamOptions,
  createAnswerParser,
  foldAnswerEvents,
  type ReasoningEvent,
  type ReasoningParser,
  reasoningParsers,
} from '@talaria/tool-call-parsers/reasoning';
import fc from 'fast-check';
import { cutAt, cuts } from './marker-soup.ts';
import { referenceSplit } from './reference-reasoning.ts';

const runs = { numRuns: thoroughRuns(150) };

const call = '<tool_call>{"name": "a", "arguments": {"k": "v"}}</tool_call>';
const fragments = [
  call,
  call,
  '<tool_call>',
  '{"name": "b"}',
  '{"name": "c", "arguments": {"k": "',
  '"}}',
  '</tool_call>',
  '<tool_',
  '<|im_end|>',
  '</s>',
  '[EOS] ',
  'word',
  '👋',
  ...'<>/[]{}|" \n\t\u00a0',
];
const channelFragments = [
  '<|start|>',
  '<|start|>assistant',
  '<|channel|>',
  'analysis',
  '<|channel|>analysis<|message|>',
  '<|start|>assistant<|channel|>analysis<|message|>',
  '<|channel|>final<|message|>',
  ' to=functions.f',
  ' <|constrain|>json',
  '<|channel|>commentary to=f<|message|>{"k": "',
  '\\',
  '<|message|>',
  '<|call|>',
  '<|end|>',
  '<|return|>',
];

/** Text made of the tags of a parser, of calls and their pieces, and of what else may stand between them. */
function soupOf({ tags }: ReasoningParser): fc.Arbitrary<string> {
  const { open, close } = tags ?? { open: '<think>', close: '</think>' };
  const own = tags === undefined ? channelFragments : [];
  const pieces = [open, close, close, open.slice(0, -1), close.slice(0, -1), close.slice(0, 3), close.slice(3), ...own];
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...pieces) },
    { weight: 6, arbitrary: fc.constantFrom(...fragments) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4, unit: 'binary' }) },
  );
  const lead = fc.constantFrom('', open, ` ${open}\n`, ...(tags === undefined ? [channelFragments[4] ?? ''] : []));
  return fc.tuple(lead, fc.array(piece, { maxLength: 16 })).map(([first, rest]) => first + rest.join(''));
}

const startsInside = fc.constantFrom(undefined, true, false);

function countingIds(): () => string {
  let count = 0;
  return () => `id${++count}`;
}

function streamed(parser: AnswerParser, pieces: readonly string[], options: AnswerStreamOptions): AnswerEvent[] {
  const stream = parser.stream({ ...options, idFactory: countingIds() });
  return [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
}

/** S6: the events of a call are contiguous, indices count up, deltas add up to the arguments. No text is empty. */
function isInOrder(events: readonly AnswerEvent[]): boolean {
  let open: { readonly index: number; deltas: string } | undefined;
  let next = 0;
  return (
    events.every((event) => {
      if (event.type === 'call-start') {
        const isNext = open === undefined && event.index === next;
        open = { index: next, deltas: '' };
        return isNext;
      }
      if (event.type === 'error') return open === undefined;
      if (event.type === 'content' || event.type === 'reasoning') return open === undefined && event.text !== '';
      if (open === undefined || event.index !== open.index) return false;
      if (event.type === 'call-arguments') {
        open.deltas += event.delta;
        return true;
      }
      const isWhole = event.type === 'call-abort' || event.arguments === open.deltas;
      if (event.type === 'call-end') next += 1;
      open = undefined;
      return isWhole;
    }) && open === undefined
  );
}

describe.each(reasoningParsers.map((parser) => [parser.name, parser] as const))(
  '%s, for any text:',
  (_name, parser) => {
    const soup = soupOf(parser);
    const policies = parser.tags === undefined ? (['ignore'] as const) : (['ignore', 'end-reasoning'] as const);
    const answers = policies.map((callsInReasoning) =>
      createAnswerParser({ reasoning: parser, toolCalls: hermes, callsInReasoning }),
    );

    test('the split is that of the rules, in any chunking', () => {
      fc.assert(
        fc.property(soup, cuts, startsInside, (text, places, inside) => {
          const { reasoning, content } = referenceSplit(text, parser, inside);
          expect(parser.split(text, { startsInReasoning: inside })).toEqual({ reasoning, content });
          for (const pieces of [cutAt(text, places), text.split('')]) {
            const stream = parser.stream({ startsInReasoning: inside });
            let [thought, said] = ['', ''];
            const events = [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
            for (const event of events) {
              if (event.type === 'reasoning') thought += event.text;
              else said += event.text;
            }
            const isPlaced = (event: ReasoningEvent): boolean =>
              event.text !== '' && (event.type === 'reasoning' || text.startsWith(event.text, event.start));
            expect(events.filter((event) => !isPlaced(event))).toEqual([]);
            expect([thought || null, said]).toEqual([reasoning, content]);
          }
        }),
        runs,
      );
    });

    test('calls are those of the content, errors have their place in the text, where calls in reasoning are ignored', () => {
      fc.assert(
        fc.property(soup, startsInside, (text, inside) => {
          const { reasoning, content, contentStart } = referenceSplit(text, parser, inside);
          const result = answers[0]?.parse(text, { startsInReasoning: inside, idFactory: countingIds() });
          const { errors, ...rest } = hermes.parse(content, { idFactory: countingIds() });
          expect(result).toEqual({ reasoning, ...rest, errors: expect.anything() });
          if (parser.tags === undefined) return;
          expect(result?.errors.map(({ kind, start, end }) => [kind, start, end])).toEqual(
            errors.map(({ kind, start, end }) => [kind, start + contentStart, end + contentStart]),
          );
        }),
        runs,
      );
    });

    test('any chunking gives the same answer, in both commit modes', () => {
      fc.assert(
        fc.property(soup, cuts, startsInside, (text, places, inside) => {
          for (const answer of answers) {
            const whole = answer.parse(text, { startsInReasoning: inside, idFactory: countingIds() });
            for (const commit of ['call', 'eager'] as const) {
              for (const pieces of [cutAt(text, places), text.split('')]) {
                const events = streamed(answer, pieces, { commit, startsInReasoning: inside });
                expect(isInOrder(events)).toBe(true);
                expect(foldAnswerEvents(events)).toEqual(whole);
              }
            }
          }
        }),
        runs,
      );
    });

    test('reasoning comes before content, and nothing is taken back', () => {
      fc.assert(
        fc.property(soup, fc.constantFrom(...answers), fc.constantFrom('call', 'eager'), (text, answer, commit) => {
          const whole = answer.parse(text);
          const received = { reasoning: '', content: '' };
          for (const event of streamed(answer, text.split(''), { commit })) {
            // Only gpt_oss may think again after it has said something.
            if (event.type === 'reasoning' && parser.tags) expect(received.content).toBe('');
            if (event.type === 'reasoning' || event.type === 'content') received[event.type] += event.text;
          }
          expect(received).toEqual({ reasoning: whole.reasoning ?? '', content: whole.content ?? '' });
        }),
        runs,
      );
    });

    test('a result is trimmed where it has to be', () => {
      fc.assert(
        fc.property(soup, fc.constantFrom(...answers), (text, answer) => {
          const { reasoning, content, toolCalls } = answer.parse(text);
          expect(reasoning ?? 'none').not.toMatch(/^(?:$|[ \t\r\n])|[ \t\r\n]$/);
          if (toolCalls.length === 0) expect(content).not.toBeNull();
          else expect(content ?? 'none').toMatch(/[^ \t\r\n]$/);
        }),
        runs,
      );
    });
  },
);
