import type { ContainerProcess } from 'modal';
import type { TransportProcess } from '../remote/transport.ts';
import { feedInput } from './modal-input.ts';
import { followOutput } from './modal-output.ts';

/** What is known of a process besides itself. */
export interface ProcessFacts {
  readonly hasStdin: boolean;
  readonly hasPty: boolean;
  /** Aborted when the sandbox is let go of: then nobody asks for its exit any more. */
  readonly released: AbortSignal;
}

/** Makes a process of the transport out of one of the SDK. */
export function adoptProcess(process: ContainerProcess<Uint8Array>, facts: ProcessFacts): TransportProcess {
  const { hasStdin, hasPty, released } = facts;
  const lost = Promise.withResolvers<null>();
  /** What the SDK could not resume is lost. The question for the exit would learn of it seconds later, or never. */
  function noticeLoss(): void {
    lost.resolve(null);
  }
  const stdout = followOutput(process.stdout, noticeLoss);
  const stderr = followOutput(process.stderr, noticeLoss);
  const exited = Promise.race([exitOf(process, released), lost.promise]);
  const stdin = hasStdin ? feedInput(process.stdin, exited) : null;
  // It is a pipe in any case. This call never rejects.
  if (!hasStdin) void process.closeStdin();
  if (hasPty) stderr.stream.resume();
  return {
    stdin,
    stdout: stdout.stream,
    stderr: hasPty ? null : stderr.stream,
    exited,
    discardOutput() {
      stdout.discard();
      stderr.discard();
    },
    close() {
      if (stdin !== null && !stdin.writableEnded) {
        stdin.destroy();
        void process.closeStdin();
      }
      stdout.stream.destroy();
      stderr.stream.destroy();
    },
  };
}

/**
 * The exit code; `null` where it cannot be told. The SDK asks again and again for ever, so that it must be told when
 * nobody waits any more: only the hidden form of its method can be.
 */
async function exitOf(process: ContainerProcess<Uint8Array>, released: AbortSignal): Promise<number | null> {
  try {
    return await (typeof process._wait === 'function' ? process._wait(released) : process.wait());
  } catch {
    return null;
  }
}
