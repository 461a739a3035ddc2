import type { SandboxRecord } from './sandbox-record.ts';

const minuteMs = 60_000;

/** Something that happens to a sandbox by itself. */
export interface SandboxEvent {
  readonly atMs: number;
  readonly action: 'stop' | 'archive' | 'destroy';
}

/** What happens next by itself; `null` where nothing does. */
export function nextEvent(record: SandboxRecord): SandboxEvent | null {
  const events: SandboxEvent[] = [];
  if (record.destroyAtMs !== null) events.push({ atMs: record.destroyAtMs, action: 'destroy' });
  if (record.state === 'started' && record.autoStopMinutes > 0) {
    events.push({ atMs: record.lastActivityMs + record.autoStopMinutes * minuteMs, action: 'stop' });
  }
  if (record.stoppedAtMs !== null && record.autoDeleteMinutes >= 0) {
    events.push({ atMs: record.stoppedAtMs + record.autoDeleteMinutes * minuteMs, action: 'destroy' });
  }
  if (record.stoppedAtMs !== null && record.state === 'stopped' && record.autoArchiveMinutes > 0) {
    events.push({ atMs: record.stoppedAtMs + record.autoArchiveMinutes * minuteMs, action: 'archive' });
  }
  return events.sort((one, other) => one.atMs - other.atMs)[0] ?? null;
}
