// Writes the corpus of the benchmarks again: `node packages/tool-call-parsers/bench/corpus/make-corpus.ts`.
// The files are committed, so that figures of different days can be compared. Their source is one revision of this
// repository, which is what models write to files most: code, documents, edits of code, and data.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const revision = '787bb6c';
const maxEditLength = 1500;
const editsLength = 50_000;

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname, maxBuffer: 256 * 1024 * 1024 });
}

/** The files of that revision whose path fits, one below the other. */
function readFiles(pattern: RegExp): string {
  return git('ls-tree', '-r', '--name-only', '--full-tree', revision)
    .split('\n')
    .filter((path) => pattern.test(path))
    .map((path) => git('show', `${revision}:${path}`))
    .join('\n');
}

/** An edit as a model writes it: the text that is to go, and the text that is to come. */
interface Edit {
  readonly path: string;
  readonly line: number;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
}

/** The hunks of the history, the oldest first. */
function readEdits(): Edit[] {
  const log = git(
    'log',
    '--reverse',
    '-p',
    '--format=',
    '--diff-filter=M',
    '--no-renames',
    revision,
    '--',
    ':(top)*.ts',
  );
  const edits: Edit[] = [];
  let path = '';
  for (const part of log.split(/^(?=diff --git |@@ )/m)) {
    const hunk = /^@@ -(\d+)[^\n]*\n(.*)$/s.exec(part);
    if (hunk === null) {
      path = /^\+\+\+ b\/(.+)$/m.exec(part)?.[1] ?? '';
      continue;
    }
    const [, line = '', body = ''] = hunk;
    const side = (sign: string): string =>
      body
        .split('\n')
        .filter((row) => row.startsWith(sign) || row.startsWith(' '))
        .map((row) => row.slice(1))
        .join('\n');
    if (body.length > maxEditLength || path.includes('parser')) continue;
    edits.push({
      path,
      line: Number(line),
      old_text: side('-'),
      new_text: side('+'),
      replace_all: edits.length % 7 === 0,
    });
  }
  return edits;
}

/** Measurements as a tool or a model reports them: nested, with numbers of all kinds. */
function makeRecords(count: number): object[] {
  let state = 42;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const stages = ['collect', 'filter', 'train', 'evaluate', 'report'];
  return Array.from({ length: count }, (_, index) => {
    return {
      id: `run-${String(index).padStart(4, '0')}`,
      stage: stages[Math.floor(random() * stages.length)],
      startedAt: 1_700_000_000_000 + Math.floor(random() * 1e10),
      seconds: Number((random() * 900).toFixed(3)),
      loss: Number((random() * 1e-3).toExponential(4)),
      ok: random() > 0.1,
      parent: random() > 0.5 ? `run-${String(Math.floor(random() * count)).padStart(4, '0')}` : null,
      scores: Array.from({ length: 6 }, () => Number(random().toFixed(4))),
      grid: [
        [Math.floor(random() * 100), -Math.floor(random() * 100)],
        [Math.floor(random() * 100), -Math.floor(random() * 100)],
      ],
      labels: {
        split: random() > 0.2 ? 'train' : 'held-out',
        note: `He said "again", then left\t(${index})`,
        empty: {},
      },
    };
  });
}

/** Plain text only: characters above U+00FF double the memory of a string, so they are in a file of their own. */
function write(name: string, content: string): void {
  const plain = content
    .replaceAll('…', '...')
    .replaceAll('→', '->')
    .replaceAll('≥', '>=')
    .replaceAll('·', '*')
    .replace(/[^\n\t\x20-\x7e]/g, '?');
  writeFileSync(new URL(name, import.meta.url), plain);
}

/** One element per line. */
function asJsonLines(elements: readonly object[]): string {
  return elements.map((element) => `${JSON.stringify(element)}\n`).join('');
}

const edits: Edit[] = [];
let length = 0;
for (const edit of readEdits()) {
  if (length > editsLength) break;
  edits.push(edit);
  length += JSON.stringify(edit).length;
}
write('code.txt', readFiles(/^packages\/(agent-loop|core)\/src\/(?!.*\.test\.ts$).*\.ts$/));
write(
  'prose.txt',
  readFiles(/^(README\.md|CONTRIBUTING\.md|docs\/(agent-loop|architecture|models|tools|operations)\.md)$/),
);
write('edits.jsonl', asJsonLines(edits));
write('records.jsonl', asJsonLines(makeRecords(110)));
