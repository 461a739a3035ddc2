import { createConsoleLogger } from '../console-logger.ts';
import { loadEnvFile } from '../env-file.ts';
import { exitCodes } from '../exit-code.ts';
import { sandboxesHelp } from '../help-text.ts';
import type { Host } from '../host.ts';
import { RunInterrupted } from '../stop-control.ts';
import { readSandboxesArguments } from './read-sandboxes-arguments.ts';

/** `talaria sandboxes`: looks after sandboxes without running anything. */
export async function runSandboxes(processHost: Host, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    processHost.stdout.write(sandboxesHelp);
    return exitCodes.done;
  }
  if (args.length === 0) {
    processHost.stderr.write(sandboxesHelp);
    return exitCodes.usage;
  }
  const host = await loadEnvFile(processHost);
  const request = await readSandboxesArguments(host, args);
  const logger = createConsoleLogger({
    // What goes wrong is reported at the end.
    level: request.isVerbose ? 'verbose' : 'silent',
    tell: (line) => host.stderr.write(`${line}\n`),
    secrets: request.configured.secrets,
  });
  using stop = abortOnSignal(host);
  const options = { logger, signal: stop.signal };
  if (request.action === 'ls') return await (await import('./list-sandboxes.ts')).listSandboxes(host, request, options);
  return await (await import('./sweep-sandboxes.ts')).sweepSandboxes(host, request, options);
}

/** Aborts with the first signal to stop; the second ends the program at once. Every step may be done again. */
function abortOnSignal(host: Host): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stopHearing = host.onStopSignal((signal) => {
    if (controller.signal.aborted) host.exitNow(exitCodes.interrupted);
    else controller.abort(new RunInterrupted(signal));
  });
  return { signal: controller.signal, [Symbol.dispose]: stopHearing };
}
