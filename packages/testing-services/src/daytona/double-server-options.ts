import type { Clock } from '@talaria/core';
import type { ApiHandler } from './api-plane.ts';
import type { FaultPlan } from './daytona-fault.ts';
import type { SandboxRecord } from './sandbox-record.ts';
import type { SandboxStore } from './sandbox-store.ts';
import type { SocketHandler, ToolboxHandler } from './toolbox-handler.ts';

/** What a server of both planes needs. */
export interface DoubleServerOptions {
  readonly apiKey: string;
  readonly api: Readonly<Record<string, ApiHandler>>;
  readonly toolbox: Readonly<Record<string, ToolboxHandler>>;
  readonly sockets: Readonly<Record<string, SocketHandler>>;
  readonly plan: FaultPlan;
  readonly store: SandboxStore;
  readonly clock: Clock;
  /** Does to a sandbox what a fault says. */
  readonly strike: (record: SandboxRecord, fault: 'lost' | 'stopped' | 'archived') => Promise<void>;
}
