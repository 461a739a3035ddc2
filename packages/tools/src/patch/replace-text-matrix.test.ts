import { describe, expect, test } from '@jest/globals';
import type { MatchStrategy } from './match-strategies.ts';
import { replaceText } from './replace-text.ts';
import { normalizeText } from './text-edit.ts';

/** Pieces of code, each four lines long, of which no line is like that of another, with blanks and typographic signs. */
const blocks: readonly string[] = [
  'def load_table(path, limit):\n    rows = read_rows(path)[:limit]\n    log("it\'s -- read... a-b")\n    return build_table(rows)',
  'function parseHeader(text) {\n\tconst [name, value] = text.split(": ");\n\twarn("it\'s -- odd... a-b");\n\treturn { name, value };',
  'SELECT customer, sum(amount)\n  FROM orders WHERE year = 2024\n  /* "it\'s -- due... a-b" */\n GROUP BY customer ORDER BY 2',
  'services: web and database\n  image: registry/web:1.2.3\n  note: "it\'s -- old... a-b"\n  ports: [8080, 9090, 7070]',
  '.navigation > li + li {\n  margin: 0 auto 12px 4px;\n  content: "it\'s -- css... a-b";\n  transition: opacity 200ms ease;',
  'for file in "$source"/*.log\ndo gzip --best "$file" || exit 3\n  echo "it\'s -- done... a-b"\ndone 2> "$target/errors.txt"',
  '# Installing the program\n\n1. Say "it\'s -- fine... a-b" aloud\n2. Then run the installer twice',
  'fn merge(left: &[u32], right: &[u32]) {\n    let total = left.len() + right.len();\n    panic!("it\'s -- full... a-b");\n    // nothing is returned from here',
  '<section class="news front">\n  <h2 id="latest">Latest reports</h2>\n  <p title="x">"it\'s -- big... a-b"</p>\n  <footer>written by nobody</footer>',
  'if err := store.Save(ctx, key); err != nil {\n\treturn fmt.Errorf("save %q: %w", key, err)\n\t// "it\'s -- lost... a-b"\n} else { metrics.Saved.Add(1) }',
];

const before = 'line zero of the file\n\nanother one above\n';
const after = '\nthe line right below\n\nand a last one\n';

interface Place {
  /** Text of the file in place of the block. */
  readonly inFile: string;
  readonly old: string;
  readonly new: string;
  /** What must stand in the file then; where it must be refused, why. */
  readonly becomes: string | 'not-found' | 'ambiguous';
  readonly all?: boolean;
  readonly isCrlf?: boolean;
}
type Situation = readonly [name: string, make: (block: string) => Place];

const lines = (block: string, change: (line: string, index: number) => string): string =>
  block.split('\n').map(change).join('\n');
const indent = (block: string, prefix: string): string => lines(block, (line) => (line === '' ? '' : prefix + line));
const trail = (block: string): string => lines(block, (line) => `${line} \t`);
const spread = (block: string, blanks: string): string => block.replaceAll(/(?<=\S) (?=\S)/g, blanks);
const changed = (block: string): string => `${block}\nadded line`;
/** A slip of the pen within a line, which is long enough to stay like itself. */
const slip = (line: string, text: string, share = 0.5): string => {
  const at = Math.floor(line.length * share);
  return line.slice(0, at) + text + line.slice(at + (text === '' ? 1 : 0));
};
const slipIn = (block: string, wanted: readonly number[], text: string, share?: number): string =>
  lines(block, (line, index) => (wanted.includes(index) && line.trim() !== '' ? slip(line, text, share) : line));
const escaped = (block: string): string => block.replaceAll('\n', '\\n').replaceAll('\t', '\\t');
const gap = '\nsomething quite different stands between\n';

const plain = (inFile: string, block: string, more: Partial<Place> = {}): Place => ({
  inFile,
  old: block,
  new: changed(block),
  becomes: changed(block),
  ...more,
});
/** Two or more places at once: refused, or all of them changed. */
const twice = (one: string, other: string, block: string, becomes: Place['becomes']): Place =>
  plain(one + gap + other, block, { becomes, all: becomes !== 'ambiguous' && becomes !== 'not-found' });

const situations: Readonly<Record<MatchStrategy, readonly Situation[]>> = {
  exact: [
    ['as it is', (block) => plain(block, block)],
    ['to be deleted', (block) => plain(block, block, { new: '', becomes: '' })],
    ['with CRLF', (block) => plain(block, block, { isCrlf: true })],
    [
      'a part of it',
      (block) => plain(block, block.slice(3, -3), { new: 'X', becomes: `${block.slice(0, 3)}X${block.slice(-3)}` }),
    ],
    ['twice', (block) => twice(block, block, block, 'ambiguous')],
    ['twice, all', (block) => twice(block, block, block, changed(block) + gap + changed(block))],
    [
      'twice in a row, all',
      (block) => plain(block + block, block, { becomes: changed(block) + changed(block), all: true }),
    ],
    [
      'beside one that is indented',
      (block) =>
        plain(indent(block, '  ') + gap + block, block, { becomes: indent(block, '  ') + gap + changed(block) }),
    ],
  ],
  line_trimmed: [
    ['indented by two', (block) => plain(indent(block, '  '), block, { becomes: indent(changed(block), '  ') })],
    [
      'indented by eight',
      (block) => plain(indent(block, ' '.repeat(8)), block, { becomes: indent(changed(block), ' '.repeat(8)) }),
    ],
    ['indented by a tab', (block) => plain(indent(block, '\t'), block, { becomes: indent(changed(block), '\t') })],
    [
      'less indented than the pattern',
      (block) => plain(block, indent(block, '    '), { new: indent(changed(block), '    '), becomes: changed(block) }),
    ],
    ['with blanks at the ends', (block) => plain(trail(block), block)],
    [
      'indented, with CRLF',
      (block) => plain(indent(block, '  '), block, { becomes: indent(changed(block), '  '), isCrlf: true }),
    ],
    [
      'only the outer lines differ',
      (block) =>
        plain(
          lines(block, (line, index) => (index === 0 ? `${line}  ` : index === 3 ? `  ${line}` : line)),
          block,
        ),
    ],
    ['twice', (block) => twice(indent(block, ' '), indent(block, '   '), block, 'ambiguous')],
    [
      'twice, all',
      (block) =>
        twice(
          indent(block, ' '),
          indent(block, '   '),
          block,
          indent(changed(block), ' ') + gap + indent(changed(block), '   '),
        ),
    ],
  ],
  whitespace_normalized: [
    ['two blanks for one', (block) => plain(spread(block, '  '), block)],
    ['five blanks for one', (block) => plain(spread(block, '     '), block)],
    ['a tab for a blank', (block) => plain(spread(block, '\t'), block)],
    ['tabs and blanks', (block) => plain(spread(block, ' \t '), block)],
    ['with CRLF', (block) => plain(spread(block, '  '), block, { isCrlf: true })],
    [
      'the pattern is the wide one',
      (block) => plain(block, spread(block, '   '), { becomes: changed(block), new: changed(block) }),
    ],
    [
      'inside a word',
      (block) => plain(spread(block, '  '), block.replace(/^\W*\w/, '').split('\n')[0] ?? '', { becomes: 'not-found' }),
    ],
    ['twice', (block) => twice(spread(block, '  '), spread(block, '   '), block, 'ambiguous')],
    [
      'twice, all',
      (block) => twice(spread(block, '  '), spread(block, '   '), block, changed(block) + gap + changed(block)),
    ],
  ],
  escape_normalized: [
    [
      'all breaks and tabs as two characters',
      (block) => plain(block, escaped(block), { new: escaped(changed(block)), becomes: changed(block) }),
    ],
    [
      'only the first break',
      (block) =>
        plain(block, block.replace('\n', '\\n'), { new: changed(block).replace('\n', '\\n'), becomes: changed(block) }),
    ],
    [
      'CR LF as four',
      (block) =>
        plain(block, block.replaceAll('\n', '\\r\\n'), {
          new: changed(block).replaceAll('\n', '\\r\\n'),
          becomes: changed(block),
          isCrlf: true,
        }),
    ],
    [
      'with CRLF in the file',
      (block) => plain(block, escaped(block), { new: escaped(changed(block)), becomes: changed(block), isCrlf: true }),
    ],
    [
      'the last lines only',
      (block) =>
        plain(block, escaped(block.split('\n').slice(2).join('\n')), {
          new: 'X\\nY',
          becomes: `${block.split('\n').slice(0, 2).join('\n')}\nX\nY`,
        }),
    ],
    ['twice', (block) => ({ ...twice(block, block, block, 'ambiguous'), old: escaped(block) })],
    [
      'twice, all',
      (block) => ({
        ...twice(block, block, block, changed(block) + gap + changed(block)),
        old: escaped(block),
        new: escaped(changed(block)),
      }),
    ],
  ],
  unicode_normalized: [
    ['smart quotes', (block) => plain(block.replace('"it', '“it').replace('a-b"', 'a-b”'), block)],
    ['a smart apostrophe', (block) => plain(block.replace("it's", 'it’s'), block)],
    ['an em dash', (block) => plain(block.replace('--', '—'), block)],
    ['an ellipsis', (block) => plain(block.replace('...', '…'), block)],
    ['an en dash', (block) => plain(block.replace('a-b', 'a–b'), block)],
    ['a hard space', (block) => plain(block.replace("it's ", "it's\u00a0"), block)],
    [
      'the pattern has them',
      (block) =>
        plain(block, block.replace('...', '…').replace("it's", 'it’s'), {
          new: changed(block),
          becomes: changed(block),
        }),
    ],
    ['twice', (block) => twice(block.replace('...', '…'), block.replace('--', '—'), block, 'ambiguous')],
    [
      'twice, all',
      (block) =>
        twice(block.replace('...', '…'), block.replace('--', '—'), block, changed(block) + gap + changed(block)),
    ],
  ],
  block_anchor: [
    [
      'a letter too many',
      (block) => plain(block, slipIn(block, [1, 2], 'z'), { becomes: changed(block), new: changed(block) }),
    ],
    [
      'a letter too few',
      (block) => plain(block, slipIn(block, [1, 2], ''), { becomes: changed(block), new: changed(block) }),
    ],
    [
      'a slip at the end of a line',
      (block) => plain(block, slipIn(block, [2], 'zq', 0.9), { becomes: changed(block), new: changed(block) }),
    ],
    [
      'with CRLF',
      (block) =>
        plain(block, slipIn(block, [1, 2], 'z'), { becomes: changed(block), new: changed(block), isCrlf: true }),
    ],
    [
      'outer lines with blanks at the ends',
      (block) =>
        plain(
          lines(block, (line, index) => (index % 3 === 0 ? `${line}  ` : line)),
          slipIn(block, [2], 'z'),
          { becomes: changed(block), new: changed(block) },
        ),
    ],
    [
      'beside one with another middle',
      (block) => {
        const other = lines(block, (line, index) => (index === 1 || index === 2 ? '0123456789 0123456789' : line));
        return plain(block + gap + other, slipIn(block, [2], 'z'), {
          becomes: changed(block) + gap + other,
          new: changed(block),
        });
      },
    ],
    [
      'near duplicates',
      (block) => twice(slipIn(block, [2], '1'), slipIn(block, [2], '2'), slipIn(block, [2], '3'), 'ambiguous'),
    ],
    [
      'another middle',
      (block) =>
        plain(
          lines(block, (line, index) => (index === 1 || index === 2 ? '0123456789 0123456789' : line)),
          block,
          { becomes: 'not-found' },
        ),
    ],
  ],
  context_aware: [
    [
      'a slip in the first line',
      (block) => plain(block, slipIn(block, [0], 'z'), { becomes: changed(block), new: changed(block) }),
    ],
    [
      'a slip in the last line',
      (block) => plain(block, slipIn(block, [3], 'z'), { becomes: changed(block), new: changed(block) }),
    ],
    [
      'a slip in the outer lines',
      (block) => plain(block, slipIn(block, [0, 3], ''), { becomes: changed(block), new: changed(block) }),
    ],
    [
      'with CRLF',
      (block) => plain(block, slipIn(block, [0], 'z'), { becomes: changed(block), new: changed(block), isCrlf: true }),
    ],
    [
      'two that are alike',
      (block) => plain(block + gap + slipIn(block, [3], '1'), slipIn(block, [0], 'z'), { becomes: 'not-found' }),
    ],
    ['for all places', (block) => plain(block, slipIn(block, [0], 'z'), { becomes: 'not-found', all: true })],
    [
      'one line that is another',
      (block) =>
        plain(
          block,
          lines(slipIn(block, [0], 'z'), (line, index) => (index === 2 ? '0123456789' : line)),
          { becomes: 'not-found' },
        ),
    ],
  ],
};

describe.each(Object.entries(situations))('%s', (strategy, ofStrategy) => {
  const table = ofStrategy.flatMap(([name, make]) => blocks.map((block, index) => [name, index, make(block)] as const));

  test('has at least sixty cases', () => expect(table.length).toBeGreaterThanOrEqual(60));

  test.each(table)('%s, block %i', (_name, _index, place) => {
    const write = (text: string): string => (place.isCrlf === true ? text.replaceAll('\n', '\r\n') : text);
    const normalized = normalizeText(write(before + place.inFile + after));
    const found = replaceText(normalized.text, {
      oldText: place.old,
      newText: place.new,
      replacesAll: place.all === true,
    });
    if (place.becomes === 'not-found') expect(found).toEqual({ kind: 'not-found' });
    else if (place.becomes === 'ambiguous') expect(found).toMatchObject({ kind: 'ambiguous', strategy });
    else {
      expect(found).toMatchObject({ kind: 'found', strategy });
      const text = found.kind === 'found' ? normalized.apply(found.edits) : '';
      expect(text).toBe(write(before + place.becomes + after));
    }
  });
});
