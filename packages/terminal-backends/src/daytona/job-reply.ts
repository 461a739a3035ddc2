/** Bytes of an output. */
export interface JobPiece {
  /** How many bytes were written before it. */
  readonly at: number;
  readonly bytes: Buffer;
}

/** What is known of one output. */
export interface JobOutput {
  readonly pieces: readonly JobPiece[];
  /** Bytes written so far. */
  readonly end: number;
}

/** What the script tells of a job. */
export interface JobNews {
  readonly kind: 'news';
  /** `ended`: its outputs are complete, too. */
  readonly state: 'starting' | 'running' | 'exited' | 'ended';
  readonly exitCode: number | null;
  readonly output: JobOutput;
  readonly errors: JobOutput;
  /** There was no room left for its output. */
  readonly isFull: boolean;
}

/** What it says where there is no such job, or none could be started. */
export type JobRefusal = 'gone' | 'failed' | 'no-space' | 'no-variables';

/** Any answer about a job. */
export type JobReply = JobNews | { readonly kind: JobRefusal };

const refusals: readonly JobRefusal[] = ['gone', 'failed', 'no-space', 'no-variables'];
const states: readonly JobNews['state'][] = ['starting', 'running', 'exited', 'ended'];

/** Reads what the job script writes; `null` where it is not whole. */
export function readJobReply(text: string): JobReply | null {
  const lines = text.trimEnd().split('\n');
  const refusal = refusals.find((word) => word === lines[0]);
  if (refusal !== undefined) return { kind: refusal };
  const stateAt = lines.findIndex((line) => line.startsWith('state '));
  const [, word, code = ''] = lines[stateAt]?.split(' ') ?? [];
  const state = states.find((known) => known === word);
  if (state === undefined || lines.at(-1) !== '.') return null;
  return {
    kind: 'news',
    state,
    exitCode: /^\d+$/.test(code) ? Number(code) : null,
    output: readOutput(lines, 'o'),
    errors: readOutput(lines, 'e'),
    isFull: lines.slice(0, stateAt).includes('full'),
  };
}

/** A piece is a line `NAME OFFSET` and lines of base64, which hold no space. */
function readOutput(lines: readonly string[], name: string): JobOutput {
  const pieces: JobPiece[] = [];
  let end = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const [word, number = ''] = lines[index]?.split(' ') ?? [];
    if (word === `${name}-end`) end = Number(number);
    if (word !== name) continue;
    const start = index + 1;
    while (/^[A-Za-z0-9+/]+=*$/.test(lines[index + 1] ?? '')) index += 1;
    const bytes = Buffer.from(lines.slice(start, index + 1).join(''), 'base64');
    if (bytes.length > 0) pieces.push({ at: Number(number), bytes });
  }
  return { pieces, end };
}
