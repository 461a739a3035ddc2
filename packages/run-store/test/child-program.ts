import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of `test/programs` in a process of its own. */
export interface ChildProgram extends AsyncDisposable {
  readonly process: ChildProcess;
  /** The next line that it prints; `undefined` once it has closed its output. */
  nextLine(): Promise<string | undefined>;
  send(line: string): void;
  /** Kills it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

export interface ChildProgramOptions {
  /** Set before it starts, for example `ulimit -f 8`. */
  readonly shellPrefix?: string;
  /** Flags of Node. */
  readonly nodeFlags?: readonly string[];
}

export function startProgram(name: string, args: readonly string[], options: ChildProgramOptions = {}): ChildProgram {
  const file = fileURLToPath(new URL(`programs/${name}`, import.meta.url));
  const nodeArgs = ['--conditions=@talaria/source', ...(options.nodeFlags ?? []), file, ...args];
  const child =
    options.shellPrefix === undefined
      ? spawn(process.execPath, nodeArgs, { stdio: ['pipe', 'pipe', 'inherit'] })
      : spawn('bash', ['-c', `${options.shellPrefix}; exec "$@"`, 'bash', process.execPath, ...nodeArgs], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await closed;
  }
  return {
    process: child,
    async nextLine() {
      const next = await lines.next();
      return next.done === true ? undefined : next.value;
    },
    send(line) {
      child.stdin.write(`${line}\n`);
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
