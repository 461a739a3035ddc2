import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import fc from 'fast-check';
import { createFormatMaterial } from '../fuzz/format-material.ts';
import { markerSoup } from './marker-soup.ts';
import { referenceHermes } from './reference-hermes.ts';
import { readVectorFile } from './tested-formats.ts';

const soup = markerSoup(createFormatMaterial(hermes, readVectorFile('hermes')));
const runs = { numRuns: thoroughRuns(3000) };

describe('for any text', () => {
  test('content and calls are those of the rules', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const { content, toolCalls } = hermes.parse(text);
        const calls = toolCalls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown }));
        expect({ content, calls }).toEqual(referenceHermes(text));
      }),
      runs,
    );
  });

  test('every error begins at a marker, in order, and ends behind it', () => {
    fc.assert(
      fc.property(soup, (text) => {
        let last = -1;
        for (const error of hermes.parse(text).errors) {
          expect(text.startsWith('<tool_call>', error.start)).toBe(true);
          expect(error.start).toBeGreaterThan(last);
          expect(error.end).toBeGreaterThanOrEqual(error.start + '<tool_call>'.length);
          last = error.start;
        }
      }),
      runs,
    );
  });
});

describe('for any calls', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 30, unit: 'binary' })
    .filter((text) => !/^[ \t\r\n]|[ \t\r\n]$/.test(text));
  const calls = fc.array(fc.record({ name, arguments: fc.dictionary(fc.string(), fc.jsonValue()) }), {
    minLength: 1,
    maxLength: 5,
  });

  test('every trimmed name and every object can be written', () => {
    fc.assert(
      fc.property(calls, (written) => {
        const { content, toolCalls, errors } = hermes.parse(hermes.render(written));
        expect({ content, errors }).toEqual({ content: null, errors: [] });
        expect(toolCalls.map((call) => call.name)).toEqual(written.map((call) => call.name));
        expect(toolCalls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(
          written.map((call) => JSON.parse(JSON.stringify(call.arguments)) as unknown),
        );
      }),
    );
  });

  test('arguments given as text keep their bytes', () => {
    fc.assert(
      fc.property(calls, (written) => {
        const asText = written.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
        const { toolCalls } = hermes.parse(hermes.render(asText));
        expect(toolCalls.map((call) => call.arguments)).toEqual(asText.map((call) => call.arguments));
      }),
    );
  });
});
