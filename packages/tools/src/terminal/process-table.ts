import type { SandboxProcess } from '@talaria/terminal-backends';
import type { ToolStateKey } from '../tool-state.ts';
import { createProcessLog, type ProcessLog } from './process-log.ts';

/** Most processes of one task that may run at the same time. */
export const maxRunning = 32;
/** Most ended processes that are remembered. */
const maxEnded = 64;

/** A background process of the task, with what was read of it. */
export interface BackgroundProcess {
  readonly process: SandboxProcess;
  readonly log: ProcessLog;
  /** Whether the model was told that it ended. */
  isAnnounced: boolean;
}

/** The background processes of one task, in the order of their start. Disposing it ends them all. */
export interface ProcessTable extends AsyncDisposable {
  add(process: SandboxProcess): BackgroundProcess;
  get(id: string): BackgroundProcess | undefined;
  readonly entries: readonly BackgroundProcess[];
  readonly runningCount: number;
}

/** The table of a rollout. */
export const processTable: ToolStateKey<ProcessTable> = { name: 'process-table', create: createProcessTable };

function createProcessTable(): ProcessTable {
  const processes = new Map<string, BackgroundProcess>();

  function forgetOldest(): void {
    const ended = [...processes.values()].filter(({ process }) => process.exit !== null);
    for (const { process } of ended.slice(0, Math.max(0, ended.length - maxEnded))) processes.delete(process.id);
  }

  return {
    add(process) {
      const entry = { process, log: createProcessLog(process), isAnnounced: false };
      processes.set(process.id, entry);
      forgetOldest();
      return entry;
    },
    get: (id) => processes.get(id),
    get entries() {
      return [...processes.values()];
    },
    get runningCount() {
      return [...processes.values()].filter(({ process }) => process.exit === null).length;
    },
    async [Symbol.asyncDispose]() {
      const running = [...processes.values()].filter(({ process }) => process.exit === null);
      const endings = running.map(({ process }) => process.kill({ graceMs: 1_000 }));
      // One that cannot be ended must not keep the others alive; it is told once all were tried.
      const failure = (await Promise.allSettled(endings)).find((ending) => ending.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
    },
  };
}
