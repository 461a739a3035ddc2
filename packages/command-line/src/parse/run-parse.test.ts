import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { foldEvents, getParser, listParsers } from '@talaria/tool-call-parsers';
import { foldAnswerEvents, getReasoningParser, listReasoningParsers } from '@talaria/tool-call-parsers/reasoning';
import { createFakeHost, type FakeHostOptions } from '../../test/fake-host.ts';
import { runProgram } from '../run-program.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-parse-'));
});

afterAll(() => rm(folder, { recursive: true }));

type Source = Pick<FakeHostOptions, 'isTerminal' | 'columns' | 'flushesUntilGone' | 'variables'> & {
  readonly input?: string | FakeHostOptions['input'];
};

/** Runs `talaria parse` as the program does. */
async function parse(args: readonly string[], { input = '', ...options }: Source = {}) {
  const host = createFakeHost({
    argv: ['parse', ...args],
    cwd: folder,
    input: typeof input === 'string' ? [new TextEncoder().encode(input)] : input,
    ...options,
  });
  const exitCode = await runProgram(host, { builtins: {}, manifestUrl: pathToFileURL(folder) });
  expect(host.handlerCount).toBe(0);
  return { exitCode, stdout: host.stdout.text, stderr: host.stderr.text };
}

/** JSON Lines. */
function readLines(text: string) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const hermes = ['--parser', 'hermes'];
const twoCalls = `I look.
<tool_call>
{"name": "ls", "arguments": {"path": "/tmp", "depth": 2.50}}
</tool_call>
<tool_call>
{"name": "pwd"}
</tool_call>`;
const broken = 'Hm.\n<tool_call>\n{"name": "ls", "arguments": {oops}}\n</tool_call>\n';

describe('for people', () => {
  test('shows content, calls and how many there are', async () => {
    const { exitCode, stdout, stderr } = await parse(hermes, { input: twoCalls });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.replace(/call_[0-9a-f]{24}/g, 'ID')).toBe(`content
  I look.
call 0: ls ID
  {
    "path": "/tmp",
    "depth": 2.50
  }
call 1: pwd ID
  {}
2 calls, 0 errors
`);
  });

  test('shows an error with the lines in which it begins and ends, and fails', async () => {
    const { exitCode, stdout } = await parse(hermes, { input: broken });
    expect(exitCode).toBe(1);
    const [, error = ''] = stdout.split(/(?=error: )/u);
    expect(error.split('\n')).toEqual([
      expect.stringMatching(/^error: bad-json at 2:1 to 3:\d+: ./u),
      '  2 | <tool_call>',
      '    | ^~~~~~~~~~~',
      '  3 | {"name": "ls", "arguments": {oops}}',
      expect.stringMatching(/^ {4}\| ~+\^$/u),
      '0 calls, 1 error',
      '',
    ]);
  });

  test.each([
    ['nothing', '', 'content: empty\n0 calls, 0 errors\n'],
    ['plain text', 'Hello.\r\nYou.', 'content\n  Hello.\r\n  You.\n0 calls, 0 errors\n'],
  ])('%s is no error', async (_title, input, stdout) => {
    expect(await parse(hermes, { input })).toEqual({ exitCode: 0, stdout, stderr: '' });
  });

  test('a call without content has none', async () => {
    const { stdout } = await parse(hermes, { input: '<tool_call>{"name": "pwd"}</tool_call>' });
    expect(stdout).toMatch(/^content: none\ncall 0: pwd /u);
  });

  test('a line of a megabyte is clipped to the width of the terminal, at both ends of the error', async () => {
    const input = `${'x'.repeat(500_000)}<tool_call>{"name": "ls", "arguments": {"a": "${'y'.repeat(500_000)}" oops}}`;
    const { stdout } = await parse(hermes, { input, columns: 50 });
    const lines = stdout.slice(stdout.indexOf('error: ')).split('\n').slice(1, 5);
    expect(lines.map((line) => line.length <= 50)).toEqual([true, true, true, true]);
    expect(lines[0]).toMatch(/^ {2}1 \| \.\.\.x+<tool_call>\{"name":.*\.\.\.$/u);
    expect(lines[1]?.indexOf('^')).toBe(lines[0]?.indexOf('<tool_call>'));
    expect(lines[2]).toMatch(/^ {2}1 \| \.\.\.y+" oops\}\}$/u);
  });

  test('of very many errors shows some, and says how many there are', async () => {
    const { exitCode, stdout } = await parse(hermes, { input: '<tool_call>x\n'.repeat(100) });
    expect([exitCode, stdout.match(/^error: /gm)?.length]).toEqual([1, 20]);
    expect(stdout).toMatch(/0 calls, 100 errors; 80 errors not shown, --json gives all\n$/u);
  });

  test('colours are those of the program, never those of the text', async () => {
    const input = `\u001B[2Jhi\u009B31m\n<tool_call>{"name": "\\u001b[31m", "arguments": {"\u202E": "\u009B"}}</tool_call>\n${broken}`;
    const plain = await parse(hermes, { input, isTerminal: true, variables: { NO_COLOR: '1' } });
    expect(plain.stdout).toContain('<U+001B>[2Jhi<U+009B>31m');
    expect(plain.stdout).toContain('"\\u202e": "\\u009b"');
    expect(plain.stdout.replaceAll(/[\n\t]/gu, '')).not.toMatch(/[\p{Cc}\u202E]/u);
    const coloured = await parse(hermes, { input, isTerminal: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of the program.
    expect(coloured.stdout.replace(/\u001B\[\d+m/gu, '').replace(/call_\w+/gu, '')).toBe(
      plain.stdout.replace(/call_\w+/gu, ''),
    );
  });
});

describe('for machines', () => {
  test('--json is one object', async () => {
    const { exitCode, stdout } = await parse([...hermes, '--json'], { input: `世\n${twoCalls}\n${broken}` });
    const report = JSON.parse(stdout);
    expect([exitCode, stdout.trimEnd().split('\n').length]).toEqual([1, 1]);
    expect(report).toMatchObject({
      reason: 'failed',
      exit_code: 1,
      parser: 'hermes',
      content: expect.stringContaining('世\nI look.'),
      tool_calls: [
        { name: 'ls', arguments: '{"path": "/tmp", "depth": 2.50}' },
        { name: 'pwd', arguments: '{}' },
      ],
      errors: [{ kind: 'bad-json', line: 10, column: 1, start: expect.any(Number), end: expect.any(Number) }],
    });
  });

  test('--stream --json is one event in each line, which add up to the result', async () => {
    const args = [...hermes, '--stream', '--json', '--delta-length', '3', '--commit', 'eager'];
    const input = `${twoCalls}\n${broken}`;
    const { exitCode, stdout } = await parse(args, { input });
    const events = readLines(stdout);
    const result = foldEvents(events);
    const whole = getParser('hermes').parse(input);
    expect(exitCode).toBe(1);
    expect(events.map(({ type }) => type)).toContain('call-abort');
    expect({ ...result, toolCalls: result.toolCalls.map(({ name }) => name) }).toEqual({
      ...whole,
      toolCalls: ['ls', 'pwd'],
    });
  });

  test('a character whose bytes arrive apart is whole, and what is no UTF-8 is replaced', async () => {
    const bytes = [...new TextEncoder().encode('a世🎉'), 0xff, 0x62, 0xe4, 0xb8];
    const input = bytes.map((byte) => Uint8Array.of(byte));
    const { stdout } = await parse([...hermes, '--json'], { input });
    expect(JSON.parse(stdout).content).toBe('a世🎉\uFFFDb\uFFFD');
    const streamed = await parse([...hermes, '--json', '--stream'], { input });
    expect(foldEvents(readLines(streamed.stdout)).content).toBe('a世🎉\uFFFDb\uFFFD');
  });
});

test('the program is not done before all of its output has gone out', async () => {
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: isTaken, resolve: take } = Promise.withResolvers<boolean>();
  const host = createFakeHost({ argv: ['parse', ...hermes, '--json'] });
  async function flush(): Promise<boolean> {
    if (!host.stdout.text.endsWith('}\n')) return true;
    ask();
    return isTaken;
  }
  let isDone = false;
  const program = runProgram(
    { ...host, stdout: { ...host.stdout, flush } },
    { builtins: {}, manifestUrl: pathToFileURL(folder) },
  ).then(() => {
    isDone = true;
  });
  await isAsked;
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  take(true);
  await program;
});

test('with --json, all errors that a parser tells are there', async () => {
  const { stdout } = await parse([...hermes, '--json'], { input: '<tool_call>x\n'.repeat(2_500) });
  const { errors } = JSON.parse(stdout);
  expect(errors.map(({ line }: { readonly line: number }) => line)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => index + 1),
  );
});

describe('--stream', () => {
  test('shows events with the piece in which they came, then the errors', async () => {
    const { exitCode, stdout } = await parse([...hermes, '--stream'], {
      input: ['Hi <tool', '_call>{"name": "pwd"}', '</tool_call>', ' <tool_call>{', 'oops'].map((text) =>
        new TextEncoder().encode(text),
      ),
    });
    const lines = stdout.replace(/call_\w{24}/gu, 'ID').split('\n');
    expect(exitCode).toBe(1);
    expect(lines.slice(0, 4)).toEqual([
      '     1  content         "Hi"',
      '     3  call-start      #0 pwd ID',
      '     3  call-arguments  #0 "{}"',
      '     3  call-end        #0 {}',
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^ {3}(?: \w{2}|end| {2}5) {2}error {11}\S+ at \d+ to \d+: ./u));
    expect(stdout).toMatch(/\nerror: .* at 1:\d+.*\n {2}1 \| Hi <tool_call>.*\n {4}\| +\^~+\n1 call, 1 error\n$/u);
  });

  test('a reader that goes away ends it, however long the text', async () => {
    let pieceCount = 0;
    let isReleased = false;
    async function* endless() {
      try {
        for (;;) {
          pieceCount += 1;
          yield new TextEncoder().encode('more <tool_call>{"name": "a"}</tool_call> ');
        }
      } finally {
        isReleased = true;
      }
    }
    const { exitCode, stderr } = await parse([...hermes, '--stream'], { input: endless(), flushesUntilGone: 3 });
    expect([exitCode, stderr, pieceCount, isReleased]).toEqual([0, '', 3, true]);
  });

  test.each([['--stream'], ['--stream', '--commit', 'eager']])(
    'with %j never lets the text act on the terminal',
    async (...flags) => {
      const input = `\u001B[2J\u009B<tool_call>{"name": "a\\u001b", "arguments": {"b": "\u009B\u001B"}}</tool_call>\u202E\n${broken}`;
      const { stdout } = await parse([...hermes, ...flags, '--delta-length', '1'], { input });
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
    },
  );
});

describe('--reasoning', () => {
  const args = [...hermes, '--reasoning', 'qwen3'];
  const input = `<think>\nLet me see.\n</think>\n${twoCalls}\n${broken}`;

  test('tells the reasoning apart, and errors keep their places', async () => {
    const { stdout } = await parse(args, { input });
    expect(stdout).toMatch(/^reasoning\n {2}Let me see\.\ncontent\n {2}I look\.\n/u);
    expect(stdout).toMatch(/error: bad-json at 12:1 .*\n {2}12 \| <tool_call>\n/u);
    const { reasoning, tool_calls: calls } = JSON.parse((await parse([...args, '--json'], { input })).stdout);
    expect([reasoning, calls]).toEqual(['Let me see.', [expect.anything(), expect.anything()]]);
    expect((await parse(args, { input: 'Hi.' })).stdout).toMatch(/^reasoning: none\ncontent\n/u);
  });

  test('--starts-in-reasoning says how the prompt ended', async () => {
    const read = async (...flags: readonly string[]) => {
      const { stdout } = await parse([...args, '--json', ...flags], { input: 'So.</think>Hi.' });
      const { reasoning, content } = JSON.parse(stdout);
      return [reasoning, content];
    };
    expect(await read('--starts-in-reasoning')).toEqual(['So.', 'Hi.']);
    expect(await read('--no-starts-in-reasoning')).toEqual([null, 'So.</think>Hi.']);
  });

  test('streams', async () => {
    const { stdout } = await parse([...args, '--stream', '--json', '--delta-length', '2'], { input });
    expect(foldAnswerEvents(readLines(stdout)).reasoning).toBe('Let me see.');
    const shown = await parse([...args, '--stream'], { input });
    expect(shown.stdout).toContain('     1  reasoning       "Let me see."');
  });
});

describe('input', () => {
  test('is a file where one is named, and a dash is standard input', async () => {
    await writeFile(join(folder, 'reply.txt'), twoCalls);
    const fromFile = await parse([...hermes, 'reply.txt', '--json']);
    expect(JSON.parse(fromFile.stdout).tool_calls).toHaveLength(2);
    const fromInput = await parse([...hermes, '-', '--json'], { input: broken });
    expect(JSON.parse(fromInput.stdout).errors).toHaveLength(1);
  });

  test('from a terminal is waited for with a word on how to give it', async () => {
    const { exitCode, stderr } = await parse(hermes, { input: 'hi', isTerminal: true });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/Waiting for the text: .*Ctrl-D.* --parser hermes reply\.txt\n$/u),
    ]);
  });

  test('that cannot be read is told', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(97);
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    }
    const { exitCode, stderr } = await parse(hermes, { input: failing() });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Cannot read standard input: EIO')]);
  });

  test('that is longer than a string can be is told, and read all the same where nothing of it is kept', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(97);
    const input = Array.from({ length: 81 }, () => piece);
    const { exitCode, stderr } = await parse(hermes, { input });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/longer than 83886080 characters.*\nhint: .*--stream --json/u),
    ]);
    expect((await parse([...hermes, '--stream', '--json'], { input })).exitCode).toBe(0);
  });
});

describe('--list', () => {
  test('names every parser, its other names, and how a call begins', async () => {
    const { exitCode, stdout } = await parse(['--list']);
    const [header, ...rows] = stdout.trimEnd().split('\n');
    expect([exitCode, header]).toEqual([0, expect.stringMatching(/^--parser +also +a call begins with$/u)]);
    const names = rows.map((row) => row.split(' ')[0]);
    expect(names).toEqual([...listParsers(), '', '--reasoning', ...listReasoningParsers()]);
    expect(rows).toContainEqual(expect.stringMatching(/^hermes .*<tool_call>$/u));
  });

  test('with --json is one object', async () => {
    const { stdout } = await parse(['--list', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      reason: 'done',
      exit_code: 0,
      parsers: listParsers().map((name) => {
        const { aliases = [], startMarkers } = getParser(name);
        return { name, aliases, start_markers: startMarkers };
      }),
      reasoning_parsers: listReasoningParsers().map((name) => {
        const { aliases = [], tags = null, startsInReasoning } = getReasoningParser(name);
        return { name, aliases, tags, starts_in_reasoning: startsInReasoning };
      }),
    });
  });
});

test.each(listParsers())('what %s writes is read, whole and as a stream', async (name) => {
  const input = getParser(name).render([{ name: 'list_files', arguments: { path: '/tmp' } }], { content: 'I look.' });
  const whole = await parse(['--parser', name, '--json'], { input });
  const streamed = await parse(['--parser', name, '--json', '--stream', '--delta-length', '1'], { input });
  const call = { name: 'list_files', arguments: '{"path": "/tmp"}' };
  expect(JSON.parse(whole.stdout)).toMatchObject({ exit_code: 0, content: 'I look.', tool_calls: [call] });
  expect(foldEvents(readLines(streamed.stdout))).toMatchObject({ content: 'I look.', toolCalls: [call] });
});

describe('wrong usage', () => {
  test.each([
    ['no parser', [], /needs the name of a parser .*\nhint: .*--list/u],
    [
      'an unknown parser',
      ['--parser', 'hermse'],
      /no tool-call parser "hermse".*\[parser\.unknown\]\nhint: +Did you mean "hermes"\?/u,
    ],
    ['an unknown flag', [...hermes, '--strem'], /--strem .*\nhint: .*--stream/u],
    ['two files', [...hermes, 'a.txt', 'b.txt'], /one text, and was given 2 files/u],
    ['a missing file', [...hermes, 'missing.txt'], /Cannot read \S+missing\.txt: ENOENT/u],
    ['a folder', [...hermes, '.'], /Cannot read .*EISDIR/u],
    [
      'a flag of streams',
      [...hermes, '--delta-length', '3'],
      /--delta-length means nothing without --stream .*\nhint: +Add --stream/u,
    ],
    ['pieces of nothing', [...hermes, '--stream', '--delta-length', '0'], /--delta-length: .*>=1/u],
    [
      'an unknown commit mode',
      [...hermes, '--stream', '--commit', 'soon'],
      /--commit .*"soon".*\nhint: .*call, eager/u,
    ],
    ['a flag of reasoning', [...hermes, '--no-starts-in-reasoning'], /--starts-in-reasoning .* without --reasoning/u],
    [
      'an unknown reasoning parser',
      [...hermes, '--reasoning', 'qwen33'],
      /"qwen33".*\[parser\.unknown\]\nhint: .*qwen3/u,
    ],
    ['missing tools', [...hermes, '--tools', 'missing.json'], /Cannot read the tools in \S+missing\.json: ENOENT/u],
  ])('%s is told with what to do', async (_title, args, message) => {
    const { exitCode, stdout, stderr } = await parse(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test('a flag that is given twice is warned of', async () => {
    const { exitCode, stderr } = await parse(['--parser', 'none', ...hermes]);
    expect([exitCode, stderr]).toEqual([0, 'warning: --parser was given again; the last value counts\n']);
  });
});

test.each([['--help'], ['-h'], [...hermes, '--help']])('help: %j', async (...args) => {
  const { exitCode, stdout } = await parse(args);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('talaria parse --parser NAME')]);
});
