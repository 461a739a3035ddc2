import type { Clock } from '@talaria/core';
import { type CommandShell, DirectRunner, putStateFile } from './direct-runner.ts';
import { remoteError } from './remote-error.ts';
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

/** Finds out what the sandbox has, and puts its variables down. @throws SandboxError `sandbox.failed` */
export async function startDirectRunner(
  { transport, stateId, clock, environmentScript }: StartDirectRunner,
  signal: AbortSignal,
): Promise<{ readonly runner: DirectRunner; readonly shell: CommandShell }> {
  const words = ['sh', '-c', describeScript, 'talaria', stateId, transport.memoryFolder ?? ''];
  const started = await transport.start({ words, signal });
  const chunks: Buffer[] = [];
  try {
    started.stderr?.on('error', () => undefined).resume();
    for await (const chunk of started.stdout) chunks.push(Buffer.from(chunk));
  } finally {
    started.close();
  }
  const [stateFolder = '', shellName, ...entries] = Buffer.concat(chunks).toString('utf8').split('\0').slice(0, -1);
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
  await putStateFile(transport, `${stateFolder}/environment`, environment, signal);
  return { runner: new DirectRunner({ transport, clock, shell, stateFolder, environment }, facts), shell };
}
