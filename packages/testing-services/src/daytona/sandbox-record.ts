import type { JsonObject } from '@talaria/core';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import type { PtySession } from './pty-session.ts';
import type { ShellSession } from './shell-session.ts';

/** States that the double gives a sandbox, a part of Daytona's. */
export type DaytonaSandboxState =
  | 'creating'
  | 'pending_build'
  | 'building_snapshot'
  | 'build_failed'
  | 'starting'
  | 'started'
  | 'stopping'
  | 'stopped'
  | 'archived'
  | 'destroying'
  | 'destroyed'
  | 'error';

/** Everything the double knows of a sandbox. */
export interface SandboxRecord {
  readonly id: string;
  readonly name: string;
  /** The body of the request that made it. */
  readonly asked: JsonObject;
  readonly user: string;
  /** Variables that the create call gave. */
  readonly env: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  labels: Readonly<Record<string, string>>;
  state: DaytonaSandboxState;
  errorReason: string | undefined;
  /** Minutes; 0 never stops. */
  autoStopMinutes: number;
  /** Minutes after the stop; 0 never archives. */
  autoArchiveMinutes: number;
  /** Minutes after the stop; 0 deletes at once, below 0 never. */
  autoDeleteMinutes: number;
  destroyAtMs: number | null;
  updatedAtMs: number;
  lastActivityMs: number;
  /** When it was stopped last; `null` while it runs. */
  stoppedAtMs: number | null;
  /** Lines of its image's build. */
  readonly buildLog: string[];
  /** Its files and processes, from when it is started until it is deleted. */
  root: SandboxRoot | null;
  readonly sessions: Map<string, ShellSession>;
  readonly ptys: Map<string, PtySession>;
  /** Breaks the connections of requests that it serves now. */
  readonly connections: Set<() => void>;
}

/** Home folder of a user, as commands of the sandbox know it. */
export function homeOf(record: SandboxRecord): string {
  const home = record.user === 'root' ? '/root' : `/home/${record.user}`;
  return record.root?.placeOf(home) ?? home;
}

/** All the variables that programs of the sandbox get, before those of a call. */
export function environmentOf(record: SandboxRecord, root: SandboxRoot): Record<string, string> {
  const base: Record<string, string> = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: homeOf(record),
  };
  // Without a file system of its own, this is what keeps temporary files apart, and how its processes are found.
  if (root.isolation === 'folder') base['TMPDIR'] = root.placeOf('/tmp');
  return { ...base, ...record.env };
}

/** The sandbox as the API shows it. */
export function sandboxJson(record: SandboxRecord, toolboxUrl: string): JsonObject {
  const { asked } = record;
  const isRunning = record.state === 'started' || record.state === 'starting';
  return {
    id: record.id,
    name: record.name,
    organizationId: '00000000-0000-4000-8000-000000000000',
    user: record.user,
    env: record.env,
    labels: record.labels,
    public: asked['public'] === true,
    target: typeof asked['target'] === 'string' ? asked['target'] : 'local',
    cpu: numberOr(asked['cpu'], 1),
    gpu: numberOr(asked['gpu'], 0),
    memory: numberOr(asked['memory'], 1),
    disk: numberOr(asked['disk'], 3),
    snapshot: asked['snapshot'],
    buildInfo: asked['buildInfo'],
    networkBlockAll: asked['networkBlockAll'] === true,
    networkAllowList: asked['networkAllowList'],
    domainAllowList: asked['domainAllowList'],
    state: record.state,
    desiredState: isRunning ? 'started' : record.state,
    errorReason: record.errorReason,
    recoverable: false,
    backupState: 'None',
    autoStopInterval: record.autoStopMinutes,
    autoArchiveInterval: record.autoArchiveMinutes,
    autoDeleteInterval: record.autoDeleteMinutes,
    autoDestroyAt: record.destroyAtMs === null ? undefined : isoTime(record.destroyAtMs),
    createdAt: isoTime(record.createdAtMs),
    updatedAt: isoTime(record.updatedAtMs),
    lastActivityAt: isoTime(record.lastActivityMs),
    daemonVersion: '0.216.0',
    toolboxProxyUrl: toolboxUrl,
  };
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
