import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';
import { builtinTools } from '@talaria/tools';
import { type LocalTools, openLocalTools } from './open-local-sandbox.ts';

/** Arguments of each tool that are right. */
const rightArguments: Readonly<Record<string, JsonObject>> = {
  terminal: { command: 'true' },
  process: { action: 'list' },
  read_file: { path: 'text' },
  write_file: { path: 'written', content: 'x' },
  patch: { path: 'written', old_string: 'x', new_string: 'x' },
  search_files: { pattern: 'alpha', path: 'text' },
  execute_code: { code: 'pass' },
  todo: { todos: [{ id: '1', content: 'look', status: 'pending' }] },
};
const pathFields = ['path', 'workdir'];

/** Paths at which there is no file that could be read or written, each clear of the files of the machine. */
const oddPaths = [
  'a\0b',
  'x'.repeat(5_000),
  'd/'.repeat(5_000),
  `${'../'.repeat(500)}proc/self/mem`,
  '~nobody-here/file',
  'text/below',
  'loop',
  'socket',
  'pipe',
  '/dev/zero',
  '/dev/tty',
  'endless',
  '/proc/self/environ',
];

let local: LocalTools;
let namesBefore: readonly string[];
beforeAll(async () => {
  local = await openLocalTools({ settings: { repeatPolicy: 'off' } });
  await local.sandbox.run(
    'echo alpha > text; mkdir folder; ln -s loop loop; ln -s /dev/zero endless; mkfifo pipe; ln -s nowhere dangling',
  );
  await local.sandbox.run(`python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'`);
  await local.sandbox.writeFile('written', 'x');
  await local.sandbox.writeFile('binary', Uint8Array.of(0, 1, 2, 255));
  await local.sandbox.writeFile('latin', Uint8Array.of(0x61, 0xf6, 0x0a));
  namesBefore = await names();
});
afterAll(async () => {
  const after = await names();
  await local[Symbol.asyncDispose]();
  expect(after).toEqual(namesBefore);
});

async function names(): Promise<readonly string[]> {
  return (await local.sandbox.list(local.sandbox.home)).map(({ name }) => name);
}

/** Calls a tool, and checks what is true of every answer. */
async function answerOf(
  toolName: string,
  args: JsonObject | string,
): Promise<{ kind: string | null; value: JsonObject }> {
  const outcome = await local.tools.call(toolName, args);
  const value: unknown = JSON.parse(outcome.content);
  if (!isJsonObject(value)) throw new TypeError(`No object: ${outcome.content}`);
  expect(outcome.content.length).toBeLessThan(120_000);
  expect(outcome.content).not.toMatch(/\n\s+at .*:\d+/);
  expect(outcome.isError).toBe(outcome.errorKind !== null);
  if (outcome.isError) expect(String(value['error'])).toMatch(/\S/);
  return { kind: outcome.errorKind, value };
}

interface Field {
  readonly name: string;
  readonly schema: JsonObject;
}
function fieldsOf(parameters: JsonObject): readonly Field[] {
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
  return Object.entries(properties).flatMap(([name, schema]) => (isJsonObject(schema) ? [{ name, schema }] : []));
}
/** A result that does not change from call to call. */
function withoutTime(content: string): string {
  return content.replace(/"duration_seconds":[\d.]+/, '');
}
/** A value that no leniency makes right. */
function wrongValue({ type }: JsonObject): JsonValue {
  if (type === 'string') return { a: 1 };
  return type === 'array' ? [12] : 'no such value';
}

describe.each(
  builtinTools.map(({ definition }) => [definition.function.name, definition.function.parameters ?? {}] as const),
)('%s', (tool, parameters) => {
  const right = rightArguments[tool] ?? {};
  const fields = fieldsOf(parameters);
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];

  test('there are right arguments to start from', () => {
    expect(rightArguments).toHaveProperty(tool);
  });

  test.each(fields.map((field) => [field.name, field] as const))(
    'refuses a %s of the wrong type',
    async (name, { schema }) => {
      const { kind, value } = await answerOf(tool, { ...right, [name]: wrongValue(schema) });
      expect(kind).toBe('invalid_args');
      expect(JSON.stringify(value['error'])).toContain(name);
    },
  );

  if (required.length > 0) {
    test.each(required.map(String))('refuses a call without %s', async (name) => {
      const { [name]: _left, ...rest } = right;
      expect((await answerOf(tool, rest)).kind).toBe('invalid_args');
    });
  }

  test.each(['[]', '"text"', '12', '{', '{"a":', '\u0000'])('refuses arguments that are %j', async (text) => {
    expect((await answerOf(tool, text)).kind).toBe('invalid_args');
  });

  test('passes over fields that it does not know', async () => {
    const known = await local.tools.call(tool, right);
    const more = await local.tools.call(tool, { ...right, surprise: { deep: [1] } });
    expect(withoutTime(more.content)).toBe(withoutTime(known.content));
    expect(more.coercions).toEqual([expect.stringContaining('surprise')]);
  });

  const texts = fields.filter(({ schema }) => schema['type'] === 'string' && schema['enum'] === undefined);
  if (texts.length > 0)
    test.each(texts.map(({ name }) => name))('answers a %s of two million characters', async (name) => {
      const { kind } = await answerOf(tool, { ...right, [name]: '(a'.repeat(1_000_000) });
      expect(kind).not.toBe('sandbox_lost');
      await local.sandbox.writeFile('written', 'x');
    });

  const paths = fields.filter(({ name }) => pathFields.includes(name));
  if (paths.length > 0)
    describe.each(paths.map(({ name }) => name))('a %s', (name) => {
      test.each(oddPaths.map((path) => [path.slice(0, 40), path] as const))(
        'of %j is refused',
        async (_short, path) => {
          const { kind } = await answerOf(tool, { ...right, [name]: path });
          expect(['permission', 'not_found', 'invalid_args']).toContain(kind);
        },
      );
    });
});

describe('files that are no text', () => {
  test.each<[string, JsonObject, string | null]>([
    ['read_file', { path: 'binary' }, 'invalid_args'],
    ['read_file', { path: 'latin' }, null],
    ['read_file', { path: 'folder' }, 'invalid_args'],
    ['read_file', { path: 'dangling' }, 'not_found'],
    ['search_files', { pattern: 'a', path: 'binary' }, null],
    ['search_files', { pattern: 'a', path: 'latin' }, null],
    ['search_files', { pattern: 'a', path: 'dangling' }, 'not_found'],
    ['write_file', { path: 'folder', content: 'x' }, 'invalid_args'],
    ['patch', { path: 'binary', old_string: '\u0001', new_string: 'b' }, 'invalid_args'],
    ['patch', { path: 'latin', old_string: 'a', new_string: '€' }, 'invalid_args'],
    ['patch', { path: 'folder', old_string: 'a', new_string: 'b' }, 'invalid_args'],
    ['patch', { path: 'dangling', old_string: 'a', new_string: 'b' }, 'not_found'],
    ['patch', { patch: '*** Delete File: folder' }, 'invalid_args'],
    ['patch', { patch: '*** Delete File: binary' }, 'invalid_args'],
    ['patch', { patch: '*** Move File: text -> folder' }, 'invalid_args'],
    ['patch', { patch: '*** Add File: pipe\n+x' }, 'invalid_args'],
    ['terminal', { command: 'cat binary latin; printf "\\377\\0\\033]0;"' }, null],
    ['terminal', { command: 'true', workdir: 'text' }, 'not_found'],
    ['terminal', { command: 'echo a\0b' }, 'invalid_args'],
    ['terminal', { command: 'true\0', background: true }, 'invalid_args'],
    ['process', { action: 'write', session_id: '../x', data: 'x' }, 'not_found'],
    ['process', { action: 'poll', session_id: '__proto__' }, 'not_found'],
    ['todo', { todos: [{ id: '__proto__', content: '\u0000\ud800', status: 'constructor' }] }, null],
  ])('%s %j', async (tool, args, kind) => {
    expect((await answerOf(tool, args)).kind).toBe(kind);
  });
});

test('a file that grows without end meanwhile is read, searched and patched', async () => {
  await using place = await openLocalTools();
  const { tools, sandbox } = place;
  await sandbox.writeFile('log', 'first\n');
  await tools.callJson('terminal', { command: 'while :; do echo more; done >> log', background: true });
  while (((await sandbox.stat('log'))?.sizeBytes ?? 0) < 10_000) await new Promise((resolve) => setImmediate(resolve));
  expect(await tools.callJson('read_file', { path: 'log', limit: 2 })).toMatchObject({ content: '1|first\n2|more' });
  expect(await tools.callJson('search_files', { pattern: 'first' })).toMatchObject({ total_count: 1 });
  const patched = await tools.call('patch', { path: 'log', old_string: 'first', new_string: 'FIRST' });
  expect(JSON.parse(patched.content)).toHaveProperty('success');
  expect((await tools.call('write_file', { path: 'log', content: 'mine\n' })).isError).toBe(false);
});
