import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import {
  type RenderCall,
  type RenderOptions,
  type ToolCallParser,
  UnrenderableError,
} from '@talaria/tool-call-parsers';
import fc from 'fast-check';
import { createFormatMaterial } from '../fuzz/format-material.ts';
import { toolFor } from '../fuzz/value-schema.ts';
import { isSameJson } from '../src/contract/json-value.ts';
import { markerSoup } from './marker-soup.ts';
import { testedFormats } from './tested-formats.ts';

const runs = { numRuns: thoroughRuns(100) };

/** What every format can hold. */
const plainName = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/);
const plainString = fc.string({
  unit: fc.constantFrom(...'abz XYZ 019 .:;?!-_+*/@#$%^\n\t\\é日', '👋', 'null', 'True', '{', '}', '<b>', '&amp;'),
  maxLength: 12,
});
const plainScalar = fc.oneof(
  plainString,
  fc.integer(),
  fc.integer({ min: -999, max: 999 }).map((number) => number / 8),
  fc.boolean(),
  fc.constant(null),
);
const plainList = fc.oneof(fc.array(plainString, { maxLength: 3 }), fc.array(fc.integer(), { maxLength: 3 }));
const plainObject = fc.dictionary(plainName, fc.oneof(plainScalar, plainList), { maxKeys: 3, noNullPrototype: true });
const plainArguments = fc.dictionary(
  plainName,
  fc.oneof(plainScalar, plainList, plainObject, fc.array(plainObject, { maxLength: 2 })),
  { maxKeys: 4, noNullPrototype: true },
);
const plainCall = fc.record({ name: plainName, arguments: plainArguments });

/** What most formats cannot hold, and some can. */
const anyName = fc.oneof(
  plainName,
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('fs.read', 'a/b:c-d', 'пинг', ' a', 'functions.f', 'f:0', 'toString', '__proto__', 'x'.repeat(257)),
);
const anyArguments = fc.dictionary(fc.oneof(plainName, fc.string({ maxLength: 8 })), fc.jsonValue(), { maxKeys: 4 });

describe.each(testedFormats)('$name, for any calls', ({ parser, vectors }) => {
  const material = createFormatMaterial(parser, vectors);

  test('plain calls can be written, and are read back the same', () => {
    fc.assert(
      fc.property(fc.uniqueArray(plainCall, { minLength: 1, maxLength: 4, selector: (call) => call.name }), (calls) => {
        const options = { tools: toolsOf(calls) };
        expect(parser.canRender(calls, options) || calls).toBe(true);
        requireReadBack(parser, calls, options);
        requireReadBack(parser, calls, { ...options, content: 'Some words.\n\nAnd more.' });
      }),
      runs,
    );
  });

  test('what can be written is read back the same, whatever it is, and the rest is refused', () => {
    const call = fc.record({ name: anyName, arguments: anyArguments });
    const content = fc.oneof(fc.constant(undefined), fc.constant(null), markerSoup(material));
    fc.assert(
      fc.property(fc.array(call, { maxLength: 3 }), content, fc.boolean(), (calls, text, hasTools) => {
        requireReadBack(parser, calls, { content: text, tools: hasTools ? toolsOf(calls) : undefined });
      }),
      runs,
    );
  });

  test('arguments given as text keep their value', () => {
    fc.assert(
      fc.property(plainCall, (call) => {
        const asText = { name: call.name, arguments: JSON.stringify(call.arguments) };
        requireReadBack(parser, [asText], { tools: toolsOf([call]) });
      }),
      runs,
    );
  });
});

function toolsOf(calls: readonly RenderCall[]): RenderOptions['tools'] {
  return [...new Map(calls.map((call) => [call.name, toolFor(call.name, jsonOf(call))])).values()];
}

/** The value that the arguments have as JSON. */
function jsonOf({ arguments: given }: RenderCall): unknown {
  return JSON.parse(typeof given === 'string' ? given : JSON.stringify(given));
}

function requireReadBack(parser: ToolCallParser, calls: readonly RenderCall[], options: RenderOptions): void {
  if (!parser.canRender(calls, options)) {
    expect(() => parser.render(calls, options)).toThrow(UnrenderableError);
    return;
  }
  const text = parser.render(calls, options);
  const result = parser.parse(text, { tools: options.tools });
  const content = options.content ?? '';
  const shown = { text, calls: result.toolCalls.map((call) => ({ name: call.name, arguments: jsonOf(call) })) };
  const wanted = { text, calls: calls.map((call) => ({ name: call.name, arguments: jsonOf(call) })) };
  // Only what differs is worth the slow comparison that shows the difference.
  if (!isSameJson(shown, wanted)) expect(shown).toEqual(wanted);
  expect(result.content ?? '').toBe(calls.length === 0 ? content : content.replace(/[ \t\r\n]+$/, ''));
}
