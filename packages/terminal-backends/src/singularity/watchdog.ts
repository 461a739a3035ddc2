import { spawn } from 'node:child_process';
import { killGroup } from './run-program.ts';

/** Ends what a sandbox is made of at the end of its life, should nobody else; what is written down of it is left to sweeps. */
const script = `
while [ -d "$4" ]; do
  left=$(($1 - $(date +%s)))
  if [ "$left" -le 0 ]; then
    "$2" instance stop --signal KILL "$3"
    rm -rf "$4" || { chmod -R u+rwX "$4"; rm -rf "$4"; }
    exit
  fi
  [ "$left" -le 10 ] || left=10
  sleep "$left"
done`;

/** Later than the sandbox ends by itself: only where its owner was killed is it needed. */
const marginMs = 15_000;
const millisecondsPerSecond = 1_000;

/** What a watchdog looks after. */
export interface WatchdogDuty {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly name: string;
  /** Once that is gone, the watchdog ends by itself. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Starts a process of its own session that outlives this one; gives what ends it. */
export function startWatchdog({ program, environment, name, folder, expiresAt }: WatchdogDuty): Disposable {
  const endsAt = Math.min(Math.ceil((expiresAt + marginMs) / millisecondsPerSecond), Number.MAX_SAFE_INTEGER);
  const child = spawn('/bin/sh', ['-c', script, 'talaria', String(endsAt), program, name, folder], {
    cwd: '/',
    env: { ...environment },
    detached: true,
    stdio: 'ignore',
  });
  // Without it, sweeps still find what is left.
  child.on('error', () => undefined);
  child.unref();
  return {
    [Symbol.dispose]() {
      if (child.exitCode === null && child.signalCode === null) killGroup(child.pid, 'SIGKILL');
    },
  };
}
