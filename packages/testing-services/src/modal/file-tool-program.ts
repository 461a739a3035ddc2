import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import type { ExecEnd, ExecOutput, ExecProgram } from './exec-program.ts';
import { FileToolError, runFileTool } from './file-tools.ts';

/** Runs the file tools as the program of an exec. The sandbox has no such program; the double does its work. */
export function startFileToolProgram(
  root: SandboxRoot,
  command: string,
  output: ExecOutput,
  maxReadBytes: number,
): ExecProgram {
  const input = createInput();
  const streams = { input, write: (data: Uint8Array) => output.stdout?.append(data), maxReadBytes };
  const ended = runFileTool(root, command, streams).then(
    () => ({ code: 0 }),
    (error: unknown): ExecEnd => {
      output.stderr?.append(Buffer.from(describe(error)));
      return { code: 1 };
    },
  );
  return {
    write: (data) => input.push(data),
    endInput: () => input.end(),
    ended: ended.finally(() => {
      output.stdout?.end();
      output.stderr?.end();
    }),
    kill: () => Promise.resolve(input.break()),
    release: () => input.break(),
    resume: () => undefined,
  };
}

function describe(error: unknown): string {
  if (error instanceof FileToolError)
    return JSON.stringify({ error_kind: error.kind, message: error.message, detail: '' });
  return String(error);
}

interface ProgramInput extends AsyncIterable<Uint8Array> {
  /** Resolves when the reader has taken it. */
  push(data: Uint8Array): Promise<void>;
  end(): void;
  /** Ends it as if the writer had died: the reader fails. */
  break(): void;
}

function createInput(): ProgramInput {
  let isBroken = false;
  let isEnded = false;
  let wake: (() => void) | undefined;
  const parts: { readonly data: Uint8Array; readonly taken: () => void }[] = [];
  const changed = (): void => wake?.();
  return {
    push(data) {
      return new Promise((resolve) => {
        parts.push({ data, taken: resolve });
        changed();
      });
    },
    end() {
      isEnded = true;
      changed();
    },
    break() {
      isBroken = true;
      changed();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        const part = parts.shift();
        if (part) {
          yield part.data;
          part.taken();
        } else if (isBroken && !isEnded) {
          throw new FileToolError('Interrupted', 'The input broke off');
        } else if (isEnded) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
