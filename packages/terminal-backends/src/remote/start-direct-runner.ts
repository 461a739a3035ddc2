import type { Readable } from 'node:stream';
import { type Clock, raceAbort } from '@talaria/core';
import { answerInTime } from './answer-in-time.ts';
import { type CommandShell, DirectRunner } from './direct-runner.ts';
import { remoteError } from './remote-error.ts';
import { startOrClose } from './start-or-close.ts';
import { putStateFile } from './state-files.ts';
import type { SandboxTransport } from './transport.ts';

/** What a {@link DirectRunner} is started with. */
export interface StartDirectRunner {
  readonly transport: SandboxTransport;
  readonly stateId: string;
  readonly clock: Clock;
  readonly environmentScript: (facts: readonly string[]) => string;
}

/** Makes the state folder and tells what there is, as the launcher does, by any POSIX shell. */
const describeScript = `
umask 077
for base in \${2:+"$2"} "\${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm "$HOME"; do
  folder=$base/.talaria-$1
  mkdir -m 700 -- "$folder" 2>/dev/null && break
  folder=
done
shell=sh
command -v bash >/dev/null && shell=bash
printf '%s\\0' "$folder" "$shell" "\${HOME:-/}" "$(id -u)" "$(id -un 2>/dev/null)" "$PWD" "$PATH"
"$shell" -lc 'printf "\\0talaria\\0"; env -0' </dev/null 2>/dev/null
`;

/** Entries that are not variables. */
const fixedFacts = 5;

/** Finds out what the sandbox has, and puts its variables down. @throws SandboxError `sandbox.failed`, `sandbox.timeout` */
export async function startDirectRunner(
  { transport, stateId, clock, environmentScript }: StartDirectRunner,
  signal: AbortSignal,
): Promise<{ readonly runner: DirectRunner; readonly shell: CommandShell }> {
  const wait = { clock, signal, mayFinish: true };
  const answer = await answerInTime(transport, wait, (limited) => describeSandbox(transport, stateId, limited));
  const [stateFolder = '', shellName, ...entries] = answer.split('\0').slice(0, -1);
  // Whatever a profile prints comes before the mark.
  const mark = entries.indexOf('talaria', fixedFacts);
  const facts = [...entries.slice(0, fixedFacts), ...(mark < 0 ? [] : entries.slice(mark + 1))];
  if (stateFolder === '') {
    throw remoteError(transport.kind, 'No shell could be made ready in the sandbox', {
      code: 'sandbox.failed',
      phase: 'exec',
      started: false,
      hint: 'The sandbox needs sh, and a folder that can be written to: /tmp, /var/tmp, /dev/shm or the home.',
    });
  }
  const shell = shellName === 'bash' ? 'bash' : 'sh';
  const environment = environmentScript(facts);
  await putStateFile({ transport, clock, signal }, `${stateFolder}/environment`, environment);
  return { runner: new DirectRunner({ transport, clock, shell, stateFolder, environment }, facts), shell };
}

async function describeSandbox(transport: SandboxTransport, stateId: string, signal: AbortSignal): Promise<string> {
  const words = ['sh', '-c', describeScript, 'talaria', stateId, transport.memoryFolder ?? ''];
  const started = await startOrClose(transport, { words, signal });
  try {
    started.stderr?.on('error', () => undefined).resume();
    return await raceAbort(readText(started.stdout), signal);
  } finally {
    started.close();
  }
}

async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
