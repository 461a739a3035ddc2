import { type Clock, openDeadline } from '@talaria/core';
import type Dockerode from 'dockerode';
import type { SandboxTransport } from '../remote/transport.ts';
import { createArchiveCarrier } from './archive-carrier.ts';
import { explainDockerError } from './docker-error.ts';
import { startExec } from './docker-exec.ts';
import { endOthers } from './end-others.ts';
import { createProcessRoom } from './process-room.ts';

/** What a transport into one container needs. */
export interface DockerTransportParts {
  readonly container: Dockerode.Container;
  /** The engine's address, for messages. */
  readonly host: string;
  /** User of every process. @default that of the container */
  readonly user?: string | undefined;
  readonly clock: Clock;
  /** Whether the processes of others can be seen in it: then not all are to be ended. @default false */
  readonly sharesProcesses?: boolean | undefined;
  /** Whether its shared memory is that of others too. @default false */
  readonly sharesMemory?: boolean | undefined;
}

/** Every engine mounts memory there, which no image is made of. */
const memoryFolder = '/dev/shm';

const maxAliveCheckMs = 20_000;

/** Starts processes in a container, each by an exec of its own. */
export function createDockerTransport(parts: DockerTransportParts): SandboxTransport {
  const { container, host, user, clock, sharesProcesses = false, sharesMemory = false } = parts;
  return {
    kind: 'docker',
    isInteractive: true,
    hasPty: true,
    memoryFolder: sharesMemory ? undefined : memoryFolder,
    fileCarrier: createArchiveCarrier({ container, host, clock }),
    async start(request) {
      try {
        return await startExec(container, request, { clock, user });
      } catch (error) {
        const { signal, words } = request;
        throw explainDockerError(error, { action: `start ${words[0]}`, phase: 'exec', host, signal });
      }
    },
    makeRoom: createProcessRoom(container, clock),
    ...(sharesProcesses ? {} : { endEverything: () => endOthers(container, clock) }),
    async isAlive(signal) {
      using deadline = openDeadline(clock, maxAliveCheckMs, signal);
      try {
        const { State } = await container.inspect({ abortSignal: deadline.signal });
        return State.Running;
      } catch {
        // Gone, or nobody there to ask: either way it cannot be used.
        return false;
      }
    },
  };
}
