import type { Sandbox } from '@daytona/sdk';
import type { SandboxTransport } from '../remote/transport.ts';
import { explainDaytonaError } from './daytona-error.ts';
import { type JobPlace, putCarriedFiles } from './job-place.ts';
import { startJob } from './start-job.ts';
import { startTerminal } from './start-terminal.ts';

/** What a transport into one sandbox needs. */
export interface DaytonaTransportParts {
  readonly sandbox: Sandbox;
  readonly place: JobPlace;
  readonly apiUrl: string;
}

/** Starts processes in a sandbox: as jobs, whose requests may be sent again, or in a terminal. */
export function createDaytonaTransport({ sandbox, place, apiUrl }: DaytonaTransportParts): SandboxTransport {
  return {
    kind: 'daytona',
    // A job takes one request from start to end; a launcher that is asked by requests would be no faster.
    isInteractive: false,
    hasPty: true,
    carriesFiles: true,
    async start(request) {
      if (!request.pty) return await startJob(place, request);
      try {
        return await startTerminal(sandbox, place, request);
      } catch (error) {
        const { signal } = request;
        throw explainDaytonaError(error, { action: 'open a terminal', phase: 'exec', apiUrl, signal });
      }
    },
    putFile: (path, content, signal) => putCarriedFiles(place, [{ path, content }], signal),
    isAlive: (signal) => place.requests.isAlive(signal),
  };
}
