import { type Clock, systemClock } from '@talaria/core';
import { probeIsolation } from '../sandbox-root/open-sandbox-root.ts';
import type { RootIsolation } from '../sandbox-root/sandbox-root.ts';
import { createApiPlane } from './api-plane.ts';
import { createFaultPlan, type DaytonaFault } from './daytona-fault.ts';
import type { RecordedDaytonaRequest } from './double-request.ts';
import { startDoubleServer } from './double-server.ts';
import type { DaytonaSandboxState, SandboxRecord } from './sandbox-record.ts';
import { SandboxStore } from './sandbox-store.ts';
import { createToolboxPlane, createToolboxSockets } from './toolbox-plane.ts';

/** Options of {@link createDaytonaDouble}. */
export interface DaytonaDoubleOptions {
  /** Refuses requests without it by status 401. @default 'dtn_double' */
  readonly apiKey?: string | undefined;
  /** What goes wrong from the start. @default nothing */
  readonly faults?: readonly DaytonaFault[] | undefined;
  /** Measures intervals, limits of commands and slow answers. @default the real clock */
  readonly clock?: Clock | undefined;
  /** How sandboxes are kept apart. @default namespaces where the machine lets us, else folders */
  readonly isolation?: RootIsolation | undefined;
  /** The shell of the image, in which the daemon runs everything. @default '/bin/bash' */
  readonly shell?: string | undefined;
}

/** A sandbox of the double, seen from outside. */
export interface DaytonaDoubleSandbox {
  readonly id: string;
  readonly name: string;
  readonly state: DaytonaSandboxState;
  readonly labels: Readonly<Record<string, string>>;
  /** Host folder with its files; `null` before it was started. */
  readonly folder: string | null;
}

/** A running double of Daytona. Disposing ends every process, closes every connection and removes every folder. */
export interface DaytonaDouble extends AsyncDisposable {
  /** What the SDK takes as `apiUrl`. */
  readonly apiUrl: string;
  readonly apiKey: string;
  /** How sandboxes are kept apart. */
  readonly isolation: RootIsolation;
  /** All requests, in the order of their arrival. */
  readonly requests: readonly RecordedDaytonaRequest[];
  /** The sandboxes that exist. */
  readonly sandboxes: readonly DaytonaDoubleSandbox[];
  /** Resolves when so many requests of a route have arrived since the start. @default once */
  whenRequested(route: string, count?: number): Promise<void>;
  /** Makes things go wrong from now on, after what is planned already. */
  inject(...faults: readonly DaytonaFault[]): void;
  /** Lets nothing go wrong any more; what struck stays. */
  clearFaults(): void;
  /** Does this to a sandbox behind its owner's back, now. */
  strike(sandbox: string, what: 'lost' | 'stopped' | 'archived'): Promise<void>;
}

/** Starts a server that answers the Daytona SDK on both planes, and runs each sandbox as local processes. */
export async function createDaytonaDouble(options: DaytonaDoubleOptions = {}): Promise<DaytonaDouble> {
  const { apiKey = 'dtn_double', faults = [], clock = systemClock, shell = '/bin/bash' } = options;
  const isolation = options.isolation ?? (await probeIsolation());
  const store = new SandboxStore({ clock, isolation });
  let origin = '';
  const api = createApiPlane({
    store,
    apiUrl: () => `${origin}/api`,
    toolboxUrl: () => `${origin}/toolbox`,
    nowMs: () => clock.now(),
  });
  const toolbox = createToolboxPlane({ shell, clock });
  const sockets = createToolboxSockets({ shell, clock });
  const plan = createFaultPlan([...Object.keys(api), ...Object.keys(toolbox), ...Object.keys(sockets)]);
  plan.add(faults);
  const server = await startDoubleServer({
    ...{ apiKey, api, toolbox, sockets, plan, store, clock },
    strike: (record, what) => strikeSandbox(store, record, what),
  });
  origin = server.origin;
  let disposal: Promise<void> | undefined;
  return {
    apiUrl: `${origin}/api`,
    apiKey,
    isolation,
    requests: server.requests,
    get sandboxes() {
      return store.records.map(outsideOf);
    },
    whenRequested: (route, count = 1) => server.whenRequested(route, count),
    inject: (...more) => plan.add(more),
    clearFaults: () => plan.clear(),
    strike: (sandbox, what) => strikeSandbox(store, store.get(sandbox), what),
    [Symbol.asyncDispose]() {
      disposal ??= (async () => {
        await server[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      })();
      return disposal;
    },
  };
}

async function strikeSandbox(
  store: SandboxStore,
  record: SandboxRecord,
  what: 'lost' | 'stopped' | 'archived',
): Promise<void> {
  if (what === 'lost') {
    await store.destroy(record);
    return;
  }
  if (record.state === 'started') await store.stop(record);
  // An ephemeral one is gone now.
  if (what === 'archived' && record.state === 'stopped') await store.archive(record);
}

function outsideOf(record: SandboxRecord): DaytonaDoubleSandbox {
  const { id, name, state, labels, root } = record;
  return { id, name, state, labels, folder: root?.folder ?? null };
}
