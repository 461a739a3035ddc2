import { describe, expect, test } from '@jest/globals';
import {
  createParserRegistry,
  getParser,
  listParsers,
  ParserError,
  parsers,
  type ToolCallParser,
} from '@talaria/tool-call-parsers';
import { hermes } from '@talaria/tool-call-parsers/hermes';

const own: ToolCallParser = { ...hermes, name: 'own_format', aliases: ['own-v2'] };

describe('a registry of parsers', () => {
  test('the full one has the parsers of the package, sorted', () => {
    expect(listParsers()).toEqual(parsers.map((parser) => parser.name).sort());
    expect(listParsers()).toContain('hermes');
    for (const parser of parsers) expect(getParser(parser.name)).toBe(parser);
    expect(getParser('hermes')).toBe(hermes);
  });

  test('finds by name and alias, where - and _ mean the same', () => {
    const registry = createParserRegistry([own, hermes]);
    expect(registry.listParsers()).toEqual(['hermes', 'own_format']);
    for (const name of ['own_format', 'own-format', 'own_v2', 'own-v2']) expect(registry.getParser(name)).toBe(own);
  });

  test.each([
    ['hermse', 'Did you mean "hermes"?'],
    ['HERMES', 'Did you mean "hermes"?'],
    ['llama', 'Did you mean "llama3"?'],
    ['my-own-model', 'Choose one of the names listed, or ask detectFormat with the name of the model.'],
    ['__proto__', 'Choose one of the names listed, or ask detectFormat with the name of the model.'],
  ])('an unknown name %s is told with those that are known', (name, hint) => {
    expect(() => getParser(name)).toThrow(
      expect.objectContaining({
        message: `There is no tool-call parser "${name}"; known are: ${listParsers().join(', ')}`,
        code: 'parser.unknown',
        retryable: false,
        hint,
      }),
    );
    expect(() => getParser(name)).toThrow(ParserError);
  });

  test('a name that is taken is refused', () => {
    const other: ToolCallParser = { ...hermes, name: 'own-v2', aliases: undefined };
    expect(() => createParserRegistry([own, other])).toThrow(expect.objectContaining({ code: 'parser.duplicate' }));
    expect(createParserRegistry([own, own]).listParsers()).toEqual(['own_format']);
  });

  test('its errors are known to the core', () => {
    const caught = ((): unknown => {
      try {
        return getParser('x');
      } catch (error) {
        return error;
      }
    })();
    expect(Symbol.for('@talaria/error') in Object(caught)).toBe(true);
  });
});
