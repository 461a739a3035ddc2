import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import { parsePatch } from './parse-patch.ts';
import { planPatch } from './plan-patch.ts';

type Files = Readonly<Record<string, string>>;

/** What a patch makes of files: the files after it, or what is wrong. */
async function apply(patch: string, files: Files = {}): Promise<Files | readonly string[]> {
  const parsed = parsePatch(patch);
  if (!parsed.ok) return parsed.errors;
  const plan = await planPatch(parsed.sections, async (path) => files[path] ?? null);
  if (!plan.ok) return plan.errors;
  const after = new Map(Object.entries(files));
  for (const [path, file] of plan.files) {
    if (file.after === null) after.delete(path);
    else after.set(path, file.after);
  }
  return Object.fromEntries(after);
}

const body = (...lines: string[]): string => lines.join('\n');
const poem = 'one\ntwo\n\nthree\nfour\n';
const twice = 'def a():\n    return 1\n\ndef b():\n    return 1\n';

describe('grammar', () => {
  test.each<[string, string, Files, Files]>([
    [
      'both markers',
      body('*** Begin Patch', '*** Update File: p', '@@', ' one', '-two', '+TWO', '*** End Patch'),
      { p: poem },
      { p: poem.replace('two', 'TWO') },
    ],
    ['no markers', body('*** Update File: p', '-two', '+TWO'), { p: poem }, { p: poem.replace('two', 'TWO') }],
    [
      'no blank after the stars',
      body('***Begin Patch', '***Update File:p', '-two', '+TWO', '***End Patch'),
      { p: poem },
      { p: poem.replace('two', 'TWO') },
    ],
    [
      'text around the markers',
      body('Here it is:', '*** Begin Patch', '*** Delete File: p', '*** End Patch', 'Done.'),
      { p: poem },
      {},
    ],
    ['CRLF in the patch', '*** Update File: p\r\n-two\r\n+TWO\r\n', { p: poem }, { p: poem.replace('two', 'TWO') }],
    [
      'a line without prefix is context',
      body('*** Update File: p', 'one', '-two', '+TWO'),
      { p: poem },
      { p: poem.replace('two', 'TWO') },
    ],
    [
      'a bare blank line is a blank line of context',
      body('*** Update File: p', ' two', '', '-three', '+THREE'),
      { p: poem },
      { p: poem.replace('three', 'THREE') },
    ],
    [
      'blank lines before the next marker only separate',
      body('*** Update File: p', '-two', '+TWO', '', '', '*** Add File: q', '+new'),
      { p: poem },
      { p: poem.replace('two', 'TWO'), q: 'new\n' },
    ],
    [
      'the note about the final newline is passed over',
      body('*** Update File: p', '-four', '+FOUR', '\\ No newline at end of file'),
      { p: poem },
      { p: poem.replace('four', 'FOUR') },
    ],
    [
      'ranges of a unified diff mean nothing',
      body('*** Update File: p', '@@ -1,2 +1,2 @@', '-two', '+TWO'),
      { p: poem },
      { p: poem.replace('two', 'TWO') },
    ],
    [
      'several hunks in order',
      body('*** Update File: p', '@@', '-one', '+1', '@@', '-four', '+4'),
      { p: poem },
      { p: '1\ntwo\n\nthree\n4\n' },
    ],
    [
      'a hint, closed',
      body('*** Update File: p', '@@ def b(): @@', '-    return 1', '+    return 2'),
      { p: twice },
      { p: 'def a():\n    return 1\n\ndef b():\n    return 2\n' },
    ],
    [
      'a hint, open',
      body('*** Update File: p', '@@ def b():', '-    return 1', '+    return 2'),
      { p: twice },
      { p: 'def a():\n    return 1\n\ndef b():\n    return 2\n' },
    ],
    [
      'the place behind the hint, in looser form, before one that is the same word for word but stands above it',
      body('*** Update File: p', '@@ def b():', '-    return 1', '+    return 2'),
      { p: 'def a():\n    return 1\ndef b():\n  return 1\n' },
      { p: 'def a():\n    return 1\ndef b():\n  return 2\n' },
    ],
    [
      'a hint that is part of its line',
      body('*** Update File: p', '@@ def b', '-    return 1', '+    return 2'),
      { p: twice },
      { p: 'def a():\n    return 1\n\ndef b():\n    return 2\n' },
    ],
    [
      'the end of the file decides',
      body('*** Update File: p', '-    return 1', '+    return 2', '*** End of File'),
      { p: twice },
      { p: 'def a():\n    return 1\n\ndef b():\n    return 2\n' },
    ],
    [
      'a second hunk is sought behind the first',
      body(
        '*** Update File: p',
        '@@',
        ' def a():',
        '-    return 1',
        '+    return 5',
        '@@',
        '-    return 1',
        '+    return 6',
      ),
      { p: twice },
      { p: 'def a():\n    return 5\n\ndef b():\n    return 6\n' },
    ],
    [
      'only additions, behind the hint',
      body('*** Update File: p', '@@ two', '+two and a half'),
      { p: poem },
      { p: 'one\ntwo\ntwo and a half\n\nthree\nfour\n' },
    ],
    [
      'only additions, without a hint, go to the end',
      body('*** Update File: p', '@@', '+five'),
      { p: poem },
      { p: `${poem}five\n` },
    ],
    ['additions to a file without a final newline', body('*** Update File: p', '+b'), { p: 'a' }, { p: 'a\nb\n' }],
    ['additions to an empty file', body('*** Update File: p', '+b'), { p: '' }, { p: 'b\n' }],
    ['removing every line', body('*** Update File: p', '-a', '-b'), { p: 'a\nb\n' }, { p: '' }],
    ['a new file ends with a newline', body('*** Add File: q', '+a', '+', '+b'), {}, { q: 'a\n\nb\n' }],
    ['an empty new file', body('*** Add File: q'), {}, { q: '' }],
    ['move', body('*** Move File: p -> q/r'), { p: poem }, { 'q/r': poem }],
    [
      'update and move',
      body('*** Update File: p', '*** Move to: q', '-two', '+TWO'),
      { p: poem },
      { q: poem.replace('two', 'TWO') },
    ],
    ['move to, without a change', body('*** Update File: p', '*** Move to: q'), { p: poem }, { q: poem }],
    [
      'two sections for one file build on each other',
      body('*** Update File: p', '-two', '+TWO', '*** Update File: p', '-TWO', '+zwei'),
      { p: poem },
      { p: poem.replace('two', 'zwei') },
    ],
    ['a file added, then updated', body('*** Add File: q', '+a', '*** Update File: q', '-a', '+b'), {}, { q: 'b\n' }],
    [
      'a file deleted, then added anew',
      body('*** Delete File: p', '*** Add File: p', '+new'),
      { p: poem },
      { p: 'new\n' },
    ],
    [
      'paths with blanks',
      body('*** Update File: my file.txt', '-a', '+b'),
      { 'my file.txt': 'a\n' },
      { 'my file.txt': 'b\n' },
    ],
    [
      'lines that look like markers of another format',
      body('*** Update File: p', '--- old', '+++ new'),
      { p: '-- old\n' },
      { p: '++ new\n' },
    ],
    [
      'CRLF of the file stays',
      body('*** Update File: p', ' one', '-two', '+TWO', '+2'),
      { p: 'one\r\ntwo\r\nthree\r\n' },
      { p: 'one\r\nTWO\r\n2\r\nthree\r\n' },
    ],
    [
      'context keeps the file’s own blanks',
      body('*** Update File: p', ' one', '-two', '+TWO'),
      { p: 'one  \ntwo\n' },
      { p: 'one  \nTWO\n' },
    ],
    [
      'added lines follow the file’s indentation',
      body('*** Update File: p', ' def f():', '-  return 1', '+  return 2'),
      { p: '    def f():\n      return 1\n' },
      { p: '    def f():\n      return 2\n' },
    ],
    [
      'typographic quotes in the file',
      body('*** Update File: p', '-say "hi"', '+say "ho"'),
      { p: 'say “hi”\n' },
      { p: 'say "ho"\n' },
    ],
  ])('%s', async (_what, patch, files, expected) => {
    expect(await apply(patch, files)).toEqual(expected);
  });

  test.each<[string, string, Files, string]>([
    ['an empty patch', '', {}, 'no section'],
    ['only markers', body('*** Begin Patch', '*** End Patch'), {}, 'no section'],
    ['an update without a path', '*** Update File:', {}, 'names no path'],
    ['an update without hunks', '*** Update File: p', { p: poem }, 'changes nothing'],
    ['a hunk of context alone', body('*** Update File: p', ' one', ' two'), { p: poem }, 'changes nothing'],
    [
      'a hint without lines',
      body('*** Update File: p', '@@ one', '*** Delete File: q'),
      { p: poem },
      'followed by no lines',
    ],
    ['lines that belong to no file', body('*** Begin Patch', '-two', '*** End Patch'), {}, 'belongs to no file'],
    ['a new file without plus signs', body('*** Add File: q', 'text'), {}, 'must start with +'],
    ['a move without a target', '*** Move File: p', { p: poem }, 'names no path'],
    ['a file that does not exist', body('*** Update File: x', '-a', '+b'), {}, 'x: does not exist'],
    ['deleting what does not exist', '*** Delete File: x', {}, 'x: does not exist'],
    ['adding what exists', body('*** Add File: p', '+a'), { p: poem }, 'p: cannot be added, it exists'],
    ['moving onto what exists', '*** Move File: p -> q', { p: poem, q: '' }, 'which exists'],
    [
      'lines that are not there',
      body('*** Update File: p', '-nine', '+9'),
      { p: poem },
      'part 1: these lines were not found: nine',
    ],
    [
      'a place that is not unique',
      body('*** Update File: p', '-    return 1', '+    return 2'),
      { p: twice },
      'not unique: lines 2, 5',
    ],
    [
      'a hint that is not unique',
      body('*** Update File: p', '@@ return', '+x'),
      { p: twice },
      'the hint "return" is not unique: lines 2, 5',
    ],
    [
      'a hint that is not there',
      body('*** Update File: p', '@@ nowhere', '+x'),
      { p: poem },
      'the hint "nowhere" was not found',
    ],
    [
      'a place before the one of the hunk before',
      body('*** Update File: p', '-four', '+4', '@@', '-one', '+1'),
      { p: poem },
      'part 2',
    ],
    ['a middle that is only alike', body('*** Update File: p', ' one', '-twoo', '+2', ' '), { p: poem }, 'not found'],
  ])('refuses %s', async (_what, patch, files, message) => {
    const errors = await apply(patch, files);
    expect(Array.isArray(errors) ? errors.join(' ') : errors).toContain(message);
  });

  test('all errors of a patch are told at once', async () => {
    const patch = body('*** Update File: p', '-nine', '+9', '*** Delete File: x', '*** Add File: p', '+a');
    expect(await apply(patch, { p: poem })).toHaveLength(3);
  });

  test('planning ends at ten errors, and says that there may be more', async () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('');
    const parts = Array.from({ length: 500 }, (_, index) => `@@\n-missing ${index}\n+changed`);
    const errors = await apply(body('*** Update File: p', ...parts, '*** Delete File: x'), { p: text });
    expect(errors).toHaveLength(11);
    expect(errors).toEqual(expect.arrayContaining([expect.stringContaining('part 10: '), 'There may be more.']));
    const sections = Array.from({ length: 12 }, (_, index) => `*** Delete File: x${index}`);
    expect(await apply(body(...sections))).toHaveLength(11);
  });

  test('more parts than a file of its size may have are refused at once, in one section or many', async () => {
    const text = 'line\n'.repeat(1_000_000);
    const parts = Array.from({ length: 200 }, () => '@@\n-line\n+changed');
    const refused = [expect.stringContaining('too many parts for a file of 1000000 lines')];
    expect(await apply(body('*** Update File: p', ...parts), { p: text })).toEqual(refused);
    const sections = Array.from({ length: 200 }, () => '*** Update File: p\n@@\n+more');
    expect(await apply(body(...sections), { p: text })).toEqual([expect.stringContaining('too many parts')]);
  });

  test('a file of 3,000 lines, some of 5,000 characters, loses nothing', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      index % 500 === 0 ? `${index}:${'x'.repeat(5_000)}` : `line ${index}`,
    );
    const text = `${lines.join('\n')}\n`;
    const after = await apply(body('*** Update File: p', ' line 2748', '-line 2749', '+changed'), { p: text });
    expect(after).toEqual({ p: text.replace('line 2749\n', 'changed\n') });
  });

  test('lines that repeat themselves, in the file and in the patch, end', async () => {
    const patch = body('*** Update File: p', '@@', ...Array.from({ length: 50_000 }, () => ' a'), '-b', '+c');
    expect(await apply(patch, { p: 'a\n'.repeat(500_000) })).toEqual([expect.stringContaining('were not found')]);
  });

  test('many parts of a large file end', async () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('');
    const numbers = Array.from({ length: 300 }, (_, index) => index * 300);
    const parts = numbers.map((number) => `@@\n-line ${number}\n+changed ${number}`);
    const after = await apply(body('*** Update File: p', ...parts), { p: text });
    const changed = new Set(numbers);
    const expected = text.split('\n').map((line, index) => (changed.has(index) ? `changed ${index}` : line));
    expect(after).toEqual({ p: expected.join('\n') });
  });

  const numbered = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');

  test.each<[string, number, number, (index: number) => string, (index: number) => string]>([
    [
      'in looser form',
      90_000,
      1_000,
      (index) => `  let value${index} = ${index};  `,
      (index) => `let value${index} = ${index};`,
    ],
    ['by their characters', 10_000, 200, (index) => `  “value ${index}” …`, (index) => `"value ${index}" ...`],
    ['word for word', 10_000, 1_000, (index) => `value ${index}`, (index) => `value ${index}`],
  ])('lines found %s, of %d, in %d parts, take about a second', async (_how, lineCount, partCount, inFile, inPatch) => {
    const step = lineCount / partCount;
    const indent = inFile(0).startsWith(' ') ? '  ' : '';
    const parts = numbered(partCount, (index) => `@@\n-${inPatch(index * step)}\n+changed`);
    const startedAt = performance.now();
    const after = await apply(`*** Update File: p\n${parts}`, { p: numbered(lineCount, inFile) });
    // Ten times what it takes, since machines differ. To compare all texts with all takes longer.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(after).toEqual({
      p: numbered(lineCount, (index) => (index % step === 0 ? `${indent}changed` : inFile(index))),
    });
  });

  test('hints in 200 parts are found in a file of 10,000 lines, whole and as parts of lines', async () => {
    const text = numbered(5_000, (index) => `def name${index}x():\n  return ${index % 10}`);
    const hint = (index: number): string => (index % 2 === 0 ? `def name${index * 25}x():` : `name${index * 25}x`);
    const parts = numbered(200, (index) => `@@ ${hint(index)}\n-return ${(index * 25) % 10}\n+return x`);
    const expected = numbered(
      5_000,
      (index) => `def name${index}x():\n  return ${index % 25 === 0 ? 'x' : index % 10}`,
    );
    expect(await apply(`*** Update File: p\n${parts}`, { p: text })).toEqual({ p: expected });
  });

  test('parts that turn out to take too long are refused while they are sought', async () => {
    const text = numbered(100_000, (index) => `line ${index}.`);
    const parts = numbered(900, (index) => `@@ ine ${index * 100}.\n-line ${index * 100}.\n+changed`);
    const startedAt = performance.now();
    const errors = await apply(`*** Update File: p\n${parts}`, { p: text });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(errors).toEqual([expect.stringContaining('too many parts for a file of 100000 lines')]);
  });

  test('one part of a very large file is never too many', async () => {
    const line = (index: number): string => `    const value${index} = compute(${index});  `;
    const text = numbered(300_000, line);
    const after = await apply('*** Update File: p\n@@ value7 \n-const “value7” = 1;', { p: text });
    expect(after).toEqual([expect.stringContaining('were not found')]);
    const patch = '*** Update File: p\n@@\n-const value299999 = compute(299999);';
    expect(await apply(patch, { p: text })).toEqual({ p: numbered(299_999, line) });
  });

  test('a line of blanks in a move ends', () => {
    expect(parsePatch(`*** Move File: a${' '.repeat(200_000)}b`)).toMatchObject({ ok: false });
    expect(parsePatch(`*** Move File: a${' '.repeat(200_000)}-> b`)).toMatchObject({
      ok: true,
      sections: [{ path: 'a', moveTo: 'b' }],
    });
  });

  test.each<[string, string, string, string]>([
    [
      'a blank line of context that is written out tells the place',
      body('@@', '+new', ' ', '@@', '-b', '+B'),
      'a\n\nb\n',
      'a\nnew\n\nB\n',
    ],
    ['or stands for the end of the file', body('-b', '+B', ' ', ' '), 'a\nb\n', 'a\nB\n'],
    [
      'an addition at the end of the file, whatever the hint',
      body('@@ a', '+c', '*** End of File'),
      'a\nb\n',
      'a\nb\nc\n',
    ],
    ['two additions to a file without a last line break', body('@@', '+b', '@@', '+c'), 'a', 'a\nb\nc\n'],
    ['an addition behind a change of the open last line', body('-a', '+A', '@@', '+b'), 'a', 'A\nb\n'],
    ['an addition behind the removal of everything', body('-a', '@@', '+b'), 'a', 'b\n'],
  ])('%s', async (_title, lines, before, expected) => {
    expect(await apply(`*** Update File: p\n${lines}`, { p: before })).toEqual({ p: expected });
  });

  test('parsing never throws, and ends', () => {
    const line = fc.constantFrom(
      '*** Begin Patch',
      '*** Update File: p',
      '*** Move to: q',
      '*** Add File: q',
      '@@',
      '@@ x',
      ' a',
      '-a',
      '+b',
      '',
      '\\',
      '*** End of File',
      '*** End Patch',
      '*** Move File: a -> b',
      'x',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => void parsePatch(lines.join('\n'))),
      { numRuns: thoroughRuns(1_000) },
    );
  });
});
