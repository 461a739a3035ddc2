import { execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exitCodeOf, readLine } from './root-process.ts';
import type { StreamDescriptors } from './sandbox-root.ts';

/** Three pipes between us and a program. All six descriptors are the caller's to close. */
export interface StreamPipes {
  /** The one that writes, then the two that read. None of them blocks. */
  readonly ours: StreamDescriptors;
  /** The other ends, for the program. */
  readonly theirs: StreamDescriptors;
}

/**
 * Opens the pipes that the streams of a program are. Node's own are sockets, which a program cannot open by name
 * (`tee /dev/stderr`).
 *
 * On Linux they have no names: whoever opens `/dev/stdin` on a named pipe that nobody writes to any more waits for ever.
 * Other systems do not open it again but duplicate it, so there names do no harm.
 */
export async function openStreamPipes(platform: NodeJS.Platform = process.platform): Promise<StreamPipes> {
  const places = platform === 'linux' ? await holdPipes() : await makeNamedPipes();
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  const openEnds = (path: string, ourFlag: number, theirFlag: number): readonly [ours: number, theirs: number] => {
    // A named pipe blocks who opens one end while nobody has the other; this one has both, for a moment.
    const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      return [open(path, ourFlag | constants.O_NONBLOCK), open(path, theirFlag)];
    } finally {
      closeSync(both);
    }
  };
  try {
    const [stdin, stdout, stderr] = places.paths;
    const input = openEnds(stdin, constants.O_WRONLY, constants.O_RDONLY);
    const output = openEnds(stdout, constants.O_RDONLY, constants.O_WRONLY);
    const errors = openEnds(stderr, constants.O_RDONLY, constants.O_WRONLY);
    return { ours: [input[0], output[0], errors[0]], theirs: [input[1], output[1], errors[1]] };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  } finally {
    await places.release();
  }
}

/** Where pipes can be opened, until they are released. */
interface PipePlaces {
  readonly paths: readonly [string, string, string];
  release(): Promise<unknown>;
}

/** Node cannot make a pipe, but a shell can. It says its number and holds the pipes until its input ends. */
const holdScript = `exec 9<&0
: | {
  exec 3<&0
  : | {
    exec 4<&0
    : | {
      exec 5<&0
      read -r pid _ </proc/self/stat
      echo "$pid"
      read -r _ <&9
    }
  }
}`;

async function holdPipes(): Promise<PipePlaces> {
  const holder = spawn('/bin/sh', ['-c', holdScript], { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = exitCodeOf(holder);
  const release = (): Promise<number> => {
    holder.stdin.destroy();
    return exited;
  };
  const line = readLine(holder.stdout);
  // What cannot be started at all fails here.
  await Promise.race([line, exited]);
  const said = await line;
  if (!(Number(said) > 0)) throw new Error(`No pipes: the shell ended with ${await release()}`);
  const folder = `/proc/${said}/fd`;
  return { paths: [`${folder}/3`, `${folder}/4`, `${folder}/5`], release };
}

async function makeNamedPipes(): Promise<PipePlaces> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-pipes-'));
  const paths = [join(folder, 'in'), join(folder, 'out'), join(folder, 'err')] as const;
  const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
  } catch (error) {
    await release();
    throw error;
  }
  return { paths, release };
}
