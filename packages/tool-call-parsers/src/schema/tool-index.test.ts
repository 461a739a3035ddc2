import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ToolSchema } from '../tool-call-parser.ts';
import { toolIndexOf } from './tool-index.ts';

const parameters = { type: 'object', properties: { second: { type: 'string' }, first: { type: 'integer' } } };

/** JSON comes from users as it is, whatever the types say. */
function toolsFrom(json: string): readonly ToolSchema[] {
  return JSON.parse(json);
}

describe('the index of tools', () => {
  test.each([
    ['Chat Completions', { type: 'function', function: { name: 'find', parameters } }],
    ['Responses', { type: 'function', name: 'find', parameters }],
  ] satisfies [string, ToolSchema][])('reads tools in the shape of %s', (_shape, tool) => {
    const index = toolIndexOf([tool]);
    expect(index.propertyNames('find')).toEqual(['second', 'first']);
    expect(index.propertyNames('seek')).toBeUndefined();
    expect(index.parameter('find', 'second').isText).toBe(true);
    expect(index.parameter('find', 'first').types).toEqual(new Set(['integer']));
    expect(index.parameter('find', 'third').types).toBeUndefined();
    expect(index.parameter('seek', 'second').types).toBeUndefined();
  });

  test.each([undefined, null])('parameters that are %s declare nothing', (none) => {
    const index = toolIndexOf([{ name: 'ping', parameters: none }]);
    expect(index.propertyNames('ping')).toEqual([]);
    expect(index.parameter('ping', 'a').types).toBeUndefined();
  });

  test('is empty without tools', () => {
    expect(toolIndexOf(undefined).propertyNames('find')).toBeUndefined();
    expect(toolIndexOf([]).propertyNames('find')).toBeUndefined();
    expect(toolIndexOf([]).parameter('find', 'a').types).toBeUndefined();
  });

  test('is made once for a list, and again when the list has grown', () => {
    const tools: ToolSchema[] = [{ name: 'find', parameters }];
    const first = toolIndexOf(tools).parameter('find', 'first');
    expect(toolIndexOf(tools).parameter('find', 'first')).toBe(first);
    tools.push({ name: 'ping' });
    expect(toolIndexOf(tools).propertyNames('ping')).toEqual([]);
  });

  test('looks at no tool before it is asked for one', () => {
    let looks = 0;
    const tool: ToolSchema = {
      get name() {
        looks += 1;
        return 'find';
      },
    };
    const index = toolIndexOf([tool]);
    expect(looks).toBe(0);
    expect([index.propertyNames('find'), index.propertyNames('find'), looks]).toEqual([[], [], 1]);
  });

  test('knows the names that objects inherit only where a tool has them', () => {
    const index = toolIndexOf(
      toolsFrom('[{"name": "__proto__", "parameters": {"properties": {"__proto__": {"type": "string"}}}}]'),
    );
    expect(index.propertyNames('constructor')).toBeUndefined();
    expect(index.propertyNames('__proto__')).toEqual(['__proto__']);
    expect(index.parameter('__proto__', '__proto__').isText).toBe(true);
    expect(index.parameter('__proto__', 'toString').types).toBeUndefined();
  });

  test('takes any JSON in place of tools', () => {
    const junk = fc.oneof(fc.jsonValue(), fc.record({ name: fc.constant('a'), parameters: fc.jsonValue() }));
    fc.assert(
      fc.property(fc.oneof(fc.array(junk), fc.jsonValue()), (tools) => {
        const index = toolIndexOf(toolsFrom(JSON.stringify(tools)));
        expect(index.parameter('a', 'b').item().property('c').isText).toBe(false);
        expect(index.propertyNames('b')).toBeUndefined();
      }),
    );
  });
});
