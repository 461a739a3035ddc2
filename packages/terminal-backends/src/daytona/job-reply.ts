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
  const refusal = refusals.find((word) => text.trimEnd() === word);
  if (refusal !== undefined) return { kind: refusal };
  const [head, full, word, code = ''] = /^(full\n)?state (\w+) (\S+)\n/.exec(text) ?? [];
  const state = states.find((known) => known === word);
  if (head === undefined || state === undefined || !text.endsWith('\n.\n')) return null;
  return {
    kind: 'news',
    state,
    exitCode: /^\d+$/.test(code) ? Number(code) : null,
    output: readOutput(text, 'o'),
    errors: readOutput(text, 'e'),
    isFull: full !== undefined,
  };
}

/** A piece is a line `:NAME OFFSET` and lines of base64, which hold neither colons nor dots. */
function readOutput(text: string, name: 'o' | 'e'): JobOutput {
  const pieces: JobPiece[] = [];
  for (const [, offset, encoded = ''] of text.matchAll(new RegExp(`^:${name} (\\d+)\\n([^:.]*)`, 'gm'))) {
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.length > 0) pieces.push({ at: Number(offset), bytes });
  }
  const [, end] = new RegExp(`^:${name}-end (\\d+)$`, 'm').exec(text) ?? [];
  return { pieces, end: Number(end ?? 0) };
}
