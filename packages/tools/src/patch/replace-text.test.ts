import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { replaceText } from './replace-text.ts';
import { normalizeText } from './text-edit.ts';

interface Case {
  readonly what: string;
  readonly text: string;
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
  /** The strategy and the text after it, or what went wrong. */
  readonly becomes:
    | readonly [strategy: string, after: string]
    | 'not-found'
    | 'escape-drift'
    | readonly ['ambiguous', string];
}

function outcomeOf({ text, old, new: newText, all = false }: Case): Case['becomes'] {
  const normalized = normalizeText(text);
  const result = replaceText(normalized.text, { oldText: old, newText, replacesAll: all });
  switch (result.kind) {
    case 'found':
      return [result.strategy, normalized.apply(result.edits)];
    case 'ambiguous':
      return ['ambiguous', `${result.strategy} ${result.lines.join(' ')}`];
    default:
      return result.kind;
  }
}

const method = `class A:\n    def f(self):\n        x = 1\n        return x\n\n    def g(self):\n        return 2\n`;

const cases: readonly Case[] = [
  // exact
  { what: 'exact: a word', text: 'a b c', old: 'b', new: 'X', becomes: ['exact', 'a X c'] },
  { what: 'exact: at the start', text: 'abc', old: 'a', new: 'X', becomes: ['exact', 'Xbc'] },
  { what: 'exact: at the end', text: 'abc', old: 'c', new: '', becomes: ['exact', 'ab'] },
  { what: 'exact: the whole text', text: 'abc', old: 'abc', new: '', becomes: ['exact', ''] },
  { what: 'exact: several lines', text: 'a\nb\nc\n', old: 'a\nb\n', new: 'X\n', becomes: ['exact', 'X\nc\n'] },
  { what: 'exact: overlapping matches count once', text: 'aaa', old: 'aa', new: 'b', becomes: ['exact', 'ba'] },
  { what: 'exact: all, not overlapping', text: 'aaaaa', old: 'aa', new: 'b', all: true, becomes: ['exact', 'bba'] },
  {
    what: 'exact: all, the new text holds the old',
    text: 'x x',
    old: 'x',
    new: 'xx',
    all: true,
    becomes: ['exact', 'xx xx'],
  },
  { what: 'exact: two places', text: 'x\ny\nx\n', old: 'x', new: 'z', becomes: ['ambiguous', 'exact 1 3'] },
  {
    what: 'exact: two places of lines',
    text: 'f()\ng()\nf()\n',
    old: 'f()\n',
    new: '',
    becomes: ['ambiguous', 'exact 1 3'],
  },
  {
    what: 'exact: characters of a pattern language',
    text: 'a.*b $1',
    old: '.*',
    new: '$&',
    becomes: ['exact', 'a$&b $1'],
  },
  {
    what: 'exact: a backslash stays',
    text: 'path = "C:\\\\new"',
    old: '\\\\new',
    new: '\\\\tmp',
    becomes: ['exact', 'path = "C:\\\\tmp"'],
  },
  {
    what: 'exact: literal \\t in new text stays',
    text: 'a\tb',
    old: 'a\tb',
    new: 'a\\tb',
    becomes: ['exact', 'a\\tb'],
  },
  { what: 'exact: unicode', text: '„größer“ 🙂', old: '🙂', new: '🙃', becomes: ['exact', '„größer“ 🙃'] },
  { what: 'exact wins over looser places', text: 'a  b\na b\n', old: 'a b', new: 'X', becomes: ['exact', 'a  b\nX\n'] },
  // line endings
  {
    what: 'CRLF: old text with LF',
    text: 'a\r\nb\r\nc\r\n',
    old: 'a\nb',
    new: 'X\nY\nZ',
    becomes: ['exact', 'X\r\nY\r\nZ\r\nc\r\n'],
  },
  { what: 'CRLF: deleting a line', text: 'a\r\nb\r\nc\r\n', old: 'b\n', new: '', becomes: ['exact', 'a\r\nc\r\n'] },
  {
    what: 'CRLF: literal \\r in new text stays',
    text: 'a\r\nb\r\n',
    old: ' a',
    new: 'C:\\run',
    becomes: ['line_trimmed', 'C:\\run\r\nb\r\n'],
  },
  {
    what: 'mixed endings: untouched lines keep theirs',
    text: 'a\r\nb\nc\n',
    old: 'b',
    new: 'X\nY',
    becomes: ['exact', 'a\r\nX\nY\nc\n'],
  },
  {
    what: 'mixed endings: mostly CRLF',
    text: 'a\r\nb\r\nc\nd',
    old: 'd',
    new: 'd\ne',
    becomes: ['exact', 'a\r\nb\r\nc\nd\r\ne'],
  },
  // line_trimmed
  {
    what: 'line_trimmed: trailing blanks in the file',
    text: 'if x:  \n  y  \n',
    old: 'if x:\n  y\n',
    new: 'if z:\n  y\n',
    becomes: ['line_trimmed', 'if z:\n  y\n'],
  },
  {
    what: 'line_trimmed: other indentation moves the new text',
    text: method,
    old: 'x = 1\n    return x',
    new: 'x = 2\n    return x',
    becomes: [
      'line_trimmed',
      method
        .replace('x = 1', 'x = 2')
        .replace('    return x', '        return x')
        .replace('            return x', '            return x'),
    ],
  },
  {
    what: 'line_trimmed: less indented than the file',
    text: '    a = 1\n    b = 2\n',
    old: 'a = 1\nb = 2',
    new: 'a = 3\nb = 4',
    becomes: ['line_trimmed', '    a = 3\n    b = 4\n'],
  },
  {
    what: 'line_trimmed: more indented than the file',
    text: 'a = 1\nb = 2\n',
    old: '    a = 1\n    b = 2',
    new: '    a = 3\n    b = 4',
    becomes: ['line_trimmed', 'a = 3\nb = 4\n'],
  },
  {
    what: 'line_trimmed: deeper lines of the new text stay deeper',
    text: '  if a:\n    b\n',
    old: 'if a:\n  b',
    new: 'if a:\n  for c:\n    d',
    becomes: ['line_trimmed', '  if a:\n    for c:\n      d\n'],
  },
  {
    what: 'line_trimmed: blank lines of the new text stay blank',
    text: '  a\n  b\n',
    old: 'a\nb',
    new: 'a\n\nb',
    becomes: ['line_trimmed', '  a\n\n  b\n'],
  },
  {
    what: 'line_trimmed: tabs for blanks',
    text: '\tif a:\n\t\tb\n',
    old: '    if a:\n        b',
    new: '    if c:',
    becomes: ['line_trimmed', '\tif c:\n'],
  },
  {
    what: 'line_trimmed: literal tabs that indent become tabs',
    text: '\tif a:\n\t\tb\n',
    old: '  if a:\n    b',
    new: '\\tif c:',
    becomes: ['line_trimmed', '\tif c:\n'],
  },
  {
    what: 'line_trimmed: literal tabs in a string stay',
    text: '\tprint(a)\n\tb\n',
    old: '  print(a)\n  b',
    new: '  print("\\t")\n  b',
    becomes: ['line_trimmed', '\tprint("\\t")\n\tb\n'],
  },
  {
    what: 'line_trimmed: two places',
    text: ' a\n b\nc\n  a\n  b\n',
    old: '   a\n   b',
    new: 'x',
    becomes: ['ambiguous', 'line_trimmed 1 4'],
  },
  {
    what: 'line_trimmed: all places',
    text: ' a\n b\nc\n  a\n  b\n',
    old: '   a\n   b',
    new: '   x',
    all: true,
    becomes: ['line_trimmed', ' x\nc\n  x\n'],
  },
  {
    what: 'line_trimmed: part of a line is no line',
    text: 'value = compute(a)\n',
    old: ' compute(a) ',
    new: 'x',
    becomes: 'not-found',
  },
  {
    what: 'line_trimmed: no final newline',
    text: 'a\n  b',
    old: 'a\nb\n',
    new: 'X\n',
    becomes: ['line_trimmed', 'X\n'],
  },
  {
    what: 'line_trimmed: blank lines within',
    text: 'a \n\n b\n',
    old: 'a\n\nb',
    new: 'X',
    becomes: ['line_trimmed', 'X\n'],
  },
  { what: 'only blank lines match nothing loosely', text: 'a\n\n\nb\n', old: ' \n \n', new: 'x', becomes: 'not-found' },
  // whitespace_normalized
  {
    what: 'whitespace: runs of blanks',
    text: 'let x  =   1;\n',
    old: 'x = 1',
    new: 'y = 2',
    becomes: ['whitespace_normalized', 'let y = 2;\n'],
  },
  {
    what: 'whitespace: a tab for a blank',
    text: 'int\tx;\n',
    old: 'int x',
    new: 'long x',
    becomes: ['whitespace_normalized', 'long x;\n'],
  },
  {
    what: 'whitespace: blanks after the match stay',
    text: 'f(a,  b)   ;\n',
    old: 'f(a, b)',
    new: 'g()',
    becomes: ['whitespace_normalized', 'g()   ;\n'],
  },
  {
    what: 'whitespace: one blank before the match is not all the indentation',
    text: 'if a:\n    foo(1,  2).bar()\n',
    old: ' foo(1, 2)',
    new: ' baz(1)',
    becomes: ['whitespace_normalized', 'if a:\n    baz(1).bar()\n'],
  },
  {
    what: "whitespace: the indentation is the file's, on every new line",
    text: 'if a:\n    foo(1,  2).bar()\n',
    old: '  foo(1, 2)',
    new: '  if b:\n    baz(1)',
    becomes: ['whitespace_normalized', 'if a:\n    if b:\n      baz(1).bar()\n'],
  },
  {
    what: "whitespace: deeper indentation than the file's is swapped too",
    text: 'if a:\n\tfoo(1,  2).bar()\n',
    old: '        foo(1, 2)',
    new: '        baz(1)',
    becomes: ['whitespace_normalized', 'if a:\n\tbaz(1).bar()\n'],
  },
  {
    what: 'whitespace: what goes on behind deleted text keeps its indentation',
    text: 'if a:\n    foo(1,  2); bar()\n',
    old: ' foo(1, 2);',
    new: '',
    becomes: ['whitespace_normalized', 'if a:\n    bar()\n'],
  },
  {
    what: 'whitespace: the same where blanks come in its place, in all places',
    text: 'if a:\n\t\tfoo(1,  2); bar()\n\t\tfoo(1,   2); baz()\n',
    old: '\tfoo(1, 2); ',
    new: '\t',
    all: true,
    becomes: ['whitespace_normalized', 'if a:\n\t\tbar()\n\t\tbaz()\n'],
  },
  {
    what: 'whitespace: of a line that is deleted no blanks stay',
    text: 'if a:\n    foo(1,  2);\n    bar()\n',
    old: ' foo(1, 2);\n',
    new: '',
    becomes: ['whitespace_normalized', 'if a:\n    bar()\n'],
  },
  {
    what: 'whitespace: nor of one that is emptied',
    text: 'if a:\n    foo(1,  2);\n    bar()\n',
    old: ' foo(1, 2);',
    new: '',
    becomes: ['whitespace_normalized', 'if a:\n\n    bar()\n'],
  },
  {
    what: 'whitespace: a blank line before the new text is no indentation lost',
    text: 'if a:\n    foo(1,  2); bar()\n',
    old: ' foo(1, 2);',
    new: '\n baz();',
    becomes: ['whitespace_normalized', 'if a:\n\n    baz(); bar()\n'],
  },
  {
    what: 'whitespace: of the blanks at both ends within a line only as many as were given',
    text: 'x =    f(1,  2)    # why\n',
    old: ' f(1, 2) ',
    new: ' g() ',
    becomes: ['whitespace_normalized', 'x =    g()    # why\n'],
  },
  {
    what: 'whitespace: fewer blanks at both ends than were given',
    text: 'x = f(1,  2) # why\n',
    old: '   f(1, 2)   ',
    new: ' g() ',
    becomes: ['whitespace_normalized', 'x = g() # why\n'],
  },
  { what: 'whitespace: not inside a word', text: 'total  = 1\n', old: 'al = 1', new: 'X', becomes: 'not-found' },
  { what: 'whitespace: not before the end of a word', text: 'a  = 10\n', old: 'a = 1', new: 'X', becomes: 'not-found' },
  {
    what: 'whitespace: several lines',
    text: 'a  =  1\nb  =  2\n',
    old: 'a = 1\nb = 2',
    new: 'c = 3',
    becomes: ['whitespace_normalized', 'c = 3\n'],
  },
  {
    what: 'whitespace: two places',
    text: 'a  = 1\na   = 1\n',
    old: 'a = 1',
    new: 'X',
    becomes: ['ambiguous', 'whitespace_normalized 1 2'],
  },
  // indentation and boundary are subsets of trimmed lines unless ends differ
  {
    what: 'indentation: ends must be the same',
    text: '    a = "x "\n',
    old: 'a = "x "',
    new: 'a = "y"',
    becomes: ['exact', '    a = "y"\n'],
  },
  {
    what: 'boundary: only the outer lines differ',
    text: '  a  \n b\n  c  \n',
    old: 'a\n b\nc',
    new: 'X',
    becomes: ['line_trimmed', '  X\n'],
  },
  // escape_normalized
  {
    what: 'escape: line breaks as two characters',
    text: 'a\nb\n',
    old: 'a\\nb',
    new: 'c\\nd',
    becomes: ['escape_normalized', 'c\nd\n'],
  },
  {
    what: 'escape: tabs as two characters',
    text: 'a\tb\n',
    old: 'a\\tb',
    new: 'a\\tc',
    becomes: ['escape_normalized', 'a\tc\n'],
  },
  { what: 'escape: nothing to resolve', text: 'a\n', old: 'b\\q', new: 'c', becomes: 'not-found' },
  {
    what: 'escape: CR LF as four characters',
    text: 'a\r\nb\r\n',
    old: 'a\\r\\nb',
    new: 'c\\r\\nd',
    becomes: ['escape_normalized', 'c\r\nd\r\n'],
  },
  {
    what: 'escape: two places',
    text: 'a\nb\na\nb\n',
    old: 'a\\nb',
    new: 'x',
    becomes: ['ambiguous', 'escape_normalized 1 3'],
  },
  // unicode_normalized
  {
    what: 'unicode: smart quotes',
    text: 'say “hi” now\n',
    old: 'say "hi"',
    new: 'say "ho"',
    becomes: ['unicode_normalized', 'say "ho" now\n'],
  },
  {
    what: 'unicode: apostrophe',
    text: 'it’s\n',
    old: "it's",
    new: 'it is',
    becomes: ['unicode_normalized', 'it is\n'],
  },
  { what: 'unicode: en dash', text: '1–2\n', old: '1-2', new: '1 to 2', becomes: ['unicode_normalized', '1 to 2\n'] },
  {
    what: 'unicode: em dash is two hyphens',
    text: 'a—b\n',
    old: 'a--b',
    new: 'a, b',
    becomes: ['unicode_normalized', 'a, b\n'],
  },
  { what: 'unicode: half of an expansion is no place', text: 'a—b\n', old: 'a-', new: 'X', becomes: 'not-found' },
  { what: 'unicode: ellipsis', text: 'wait…\n', old: 'wait...', new: 'go', becomes: ['unicode_normalized', 'go\n'] },
  { what: 'unicode: hard space', text: 'a\u00a0b\n', old: 'a b', new: 'c', becomes: ['unicode_normalized', 'c\n'] },
  {
    what: 'unicode: quotes in the pattern',
    text: 'say "hi"\n',
    old: 'say “hi”',
    new: 'x',
    becomes: ['unicode_normalized', 'x\n'],
  },
  {
    what: 'unicode: with other indentation',
    text: '    “a”\n    b\n',
    old: '"a"\n  b',
    new: '"c"\n  b',
    becomes: ['unicode_normalized', '    "c"\n      b\n'],
  },
  // block_anchor
  {
    what: 'anchor: a middle that is nearly the same',
    text: 'begin\n  value = compute(alpha, beta)\nend\n',
    old: 'begin\n  value = compute(alpha, betas)\nend',
    new: 'X',
    becomes: ['block_anchor', 'X\n'],
  },
  {
    what: 'anchor: a middle that is another is refused',
    text: 'begin\n  delete_everything()\nend\n',
    old: 'begin\n  value = 1\nend',
    new: 'X',
    becomes: 'not-found',
  },
  { what: 'anchor: two lines are too few', text: 'begin\nend!\n', old: 'begin\nend?', new: 'X', becomes: 'not-found' },
  {
    what: 'anchor: of several only the very similar',
    text: 'begin\n  value = compute(alpha)\nend\nbegin\n  other = something(else)\nend\n',
    old: 'begin\n  value = compute(alphas)\nend',
    new: 'X',
    becomes: ['block_anchor', 'X\nbegin\n  other = something(else)\nend\n'],
  },
  {
    what: 'anchor: near duplicates are refused',
    text: 'begin\n  value = compute(alpha, 1)\nend\nbegin\n  value = compute(alpha, 2)\nend\n',
    old: 'begin\n  value = compute(alpha, 3)\nend',
    new: 'X',
    becomes: ['ambiguous', 'block_anchor 1 4'],
  },
  {
    what: 'anchor: blank anchors anchor nothing',
    text: '\nvalue = compute(alpha)\n\n',
    old: '\nvalue = compute(alphas)\n\n',
    new: 'X',
    becomes: 'not-found',
  },
  // context_aware
  {
    what: 'context: every line nearly the same',
    text: 'first_line_of_block = 1\nsecond_line_of_block = 2\nthird_line_of_block = 3\n',
    old: 'first_line_of_blocks = 1\nsecond_line_of_block = 2\nthird_line_of_block = 33',
    new: 'X',
    becomes: ['context_aware', 'X\n'],
  },
  {
    what: 'context: one line that is another is refused',
    text: 'first_line_of_block = 1\ncompletely different\nthird_line_of_block = 3\n',
    old: 'first_line_of_blocks = 1\nsecond_line_of_block = 2\nthird_line_of_block = 33',
    new: 'X',
    becomes: 'not-found',
  },
  {
    what: 'context: two candidates are refused',
    text: 'first_line_of_block = 1\nsecond_line_of_block = 2\nthird_line_of_block = 3\nfirst_line_of_block = 4\nsecond_line_of_block = 5\nthird_line_of_block = 6\n',
    old: 'first_line_of_blocks = 0\nsecond_line_of_blocks = 0\nthird_line_of_blocks = 0',
    new: 'X',
    becomes: 'not-found',
  },
  {
    what: 'context: never for all places',
    text: 'first_line_of_block = 1\nsecond_line_of_block = 2\nthird_line_of_block = 3\n',
    old: 'first_line_of_blocks = 1\nsecond_line_of_block = 2\nthird_line_of_block = 33',
    new: 'X',
    all: true,
    becomes: 'not-found',
  },
  // escape drift
  {
    what: 'drift: quotes escaped once too often',
    text: "  print('a')\n  b\n",
    old: " print(\\'a\\')\n b",
    new: " print(\\'c\\')\n b",
    becomes: 'not-found',
  },
  {
    what: 'drift: near enough to be found by likeness',
    text: 'start_of_block()\n  print_something_long("value")\nend_of_block()\n',
    old: 'start_of_block()\n  print_something_long(\\"value\\")\nend_of_block()',
    new: 'start_of_block()\n  print_something_long(\\"other\\")\nend_of_block()',
    becomes: 'escape-drift',
  },
  {
    what: 'drift: a file that has the backslashes is fine',
    text: 'a = "\\"x\\""\n',
    old: 'a = "\\"x\\""',
    new: 'a = "\\"y\\""',
    becomes: ['exact', 'a = "\\"y\\""\n'],
  },
  // nothing
  { what: 'not found at all', text: 'a\nb\n', old: 'zzz', new: 'x', becomes: 'not-found' },
  { what: 'an empty file', text: '', old: 'a', new: 'x', becomes: 'not-found' },
  { what: 'longer than the file', text: 'a\n', old: 'a\nb\nc\nd\n', new: 'x', becomes: 'not-found' },
];

describe('replaceText', () => {
  test.each(cases.map((entry) => [entry.what, entry] as const))('%s', (_what, entry) => {
    expect(outcomeOf(entry)).toEqual(entry.becomes);
  });

  test('the table has at least sixty cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  test('a large file and a long pattern end soon, without looking for likeness', () => {
    const text = 'some line of text that repeats\n'.repeat(100_000);
    const old = 'some line of text that never was\n'.repeat(100);
    expect(replaceText(text, { oldText: old, newText: '', replacesAll: false })).toEqual({ kind: 'not-found' });
  });

  test('whatever is cut out of a text is found again exactly, and only it changes', () => {
    const lines = fc.array(fc.constantFrom('a', ' b', 'c  d', '', '\te', 'é', '“q”'), { minLength: 1, maxLength: 30 });
    const ending = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(lines, ending, fc.nat(), fc.nat(), (parts, lineEnd, from, length) => {
        const text = parts.join(lineEnd);
        const normalized = normalizeText(text);
        const start = from % (normalized.text.length + 1);
        const old = normalized.text.slice(start, start + (length % 20) + 1);
        if (old === '') return;
        const result = replaceText(normalized.text, { oldText: old, newText: old, replacesAll: true });
        expect(result.kind).toBe('found');
        if (result.kind === 'found') {
          expect(result.strategy).toBe('exact');
          expect(normalizeText(normalized.apply(result.edits)).text).toBe(normalized.text);
        }
      }),
    );
  });

  test('lines that repeat themselves, in the file and in the pattern, end', () => {
    const oldText = `${'a \n'.repeat(50_000)}b`;
    const result = replaceText('a\n'.repeat(500_000), { oldText, newText: 'x', replacesAll: false });
    expect(result).toEqual({ kind: 'not-found' });
  });

  test('a text in half a million places is ambiguous at once', () => {
    const result = replaceText('a\n'.repeat(500_000), { oldText: 'a', newText: 'x', replacesAll: false });
    expect(result.kind === 'ambiguous' ? result.lines.slice(-2) : result).toEqual([499_999, 500_000]);
  });

  test('very long lines are not compared letter by letter', () => {
    const line = (start: string, count: number): string => start + 'lorem ipsum dolor '.repeat(count);
    const text = ['a', 'b', 'c', 'd'].map((start) => line(start, 20_000)).join('\n');
    const oldText = ['a', 'b', 'c'].map((start) => `${line(start, 19_990)}zq`).join('\n');
    expect(replaceText(text, { oldText, newText: 'x', replacesAll: false })).toEqual({ kind: 'not-found' });
  });

  test('texts that share nothing but single characters end soon, and are not similar', () => {
    const text = `start\n${'abc'.repeat(3_000)}\nend\n`;
    const oldText = `start\n${'acb'.repeat(3_000)}\nend`;
    const startedAt = performance.now();
    expect(replaceText(text, { oldText, newText: 'x', replacesAll: false })).toEqual({ kind: 'not-found' });
    // With the cube of the length it would be minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('edits leave all other bytes as they are, whatever the line endings', () => {
    const piece = fc.constantFrom('x', 'y', '\n', '\r\n', '\r', 'MARK');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = `${pieces.filter((entry) => entry !== 'MARK').join('')}MARK${pieces.slice(0, 5).join('').replaceAll('MARK', '')}`;
        const normalized = normalizeText(text);
        const result = replaceText(normalized.text, { oldText: 'MARK', newText: 'DONE', replacesAll: false });
        if (result.kind === 'found') expect(normalized.apply(result.edits)).toBe(text.replace('MARK', 'DONE'));
        else expect(result.kind).toBe('found');
      }),
    );
  });
});
