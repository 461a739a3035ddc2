import type { CreateSandboxFromImageParams, CreateSandboxFromSnapshotParams, Resources } from '@daytona/sdk';
import { ConfigError, type Logger } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import type { SandboxOwner } from '../ledger/sandbox-owner.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import type { DaytonaBackendOptions } from './daytona-options.ts';
import { writeLabels } from './sandbox-labels.ts';

/** What a sandbox is made from. */
export interface SandboxPlan {
  /** Name of the sandbox, chosen here so that it can be found whatever happens to the answer. */
  readonly name: string;
  readonly image: string;
  readonly spec: SandboxSpec;
  readonly owner: SandboxOwner;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly options: DaytonaBackendOptions;
}

/** What the SDK takes. */
export type CreateParams = CreateSandboxFromImageParams | CreateSandboxFromSnapshotParams;

const millisecondsPerMinute = 60_000;
/** Talaria ends the sandbox in time; the service itself does it when Talaria is no more. */
const lifetimeMarginMs = 1_800_000;
const mebibytesPerGibibyte = 1_024;
const defaultMaxDiskGiB = 10;
const snapshotPrefix = 'snapshot:';

/** Says how a sandbox is to be made (spec/terminal-backends.md 12.2). */
export function createSandboxParams(plan: SandboxPlan, logger: Logger): CreateParams {
  const { name, image, spec, options } = plan;
  const lifetimeMs = (spec.maxLifetimeMs ?? defaultLifetimeMs) + lifetimeMarginMs;
  const lifetimeMinutes = Math.ceil(lifetimeMs / millisecondsPerMinute);
  const base = {
    name,
    ...(options.user === undefined ? {} : { user: options.user }),
    labels: writeLabels({ ...plan, taskId: spec.taskId }),
    // Three ways for it to end by itself: unused, stopped by anybody, and in any case.
    autoStopInterval: lifetimeMinutes,
    ephemeral: true,
    ttlMinutes: lifetimeMinutes,
    ...networkOf(spec, options),
  };
  const resources = resourcesOf(spec, options, logger);
  if (!image.startsWith(snapshotPrefix)) {
    return { ...base, image, ...(resources === null ? {} : { resources }) };
  }
  if (resources !== null) {
    logger.warn('sandbox.resources-ignored', { image, hint: 'A snapshot has the resources that it was made with.' });
  }
  return { ...base, snapshot: image.slice(snapshotPrefix.length) };
}

type NetworkParams = Pick<CreateSandboxFromImageParams, 'networkBlockAll' | 'networkAllowList' | 'domainAllowList'>;

function networkOf(spec: SandboxSpec, options: DaytonaBackendOptions): NetworkParams {
  if (!(spec.allowNetwork ?? options.allowNetwork ?? true)) return { networkBlockAll: true };
  const { networkAllowList = [], domainAllowList = [] } = options;
  return {
    ...(networkAllowList.length === 0 ? {} : { networkAllowList: networkAllowList.join(',') }),
    ...(domainAllowList.length === 0 ? {} : { domainAllowList: domainAllowList.join(',') }),
  };
}

/** Whole processors and GiB, rounded up. */
function resourcesOf(spec: SandboxSpec, options: DaytonaBackendOptions, logger: Logger): Resources | null {
  const { cpus, memoryMiB, diskMiB } = spec;
  const { maxDiskGiB = defaultMaxDiskGiB } = options;
  const asked = diskMiB === undefined ? undefined : gibibytes(diskMiB);
  if (asked !== undefined && asked > maxDiskGiB) {
    logger.warn('sandbox.disk-capped', { askedGiB: asked, givenGiB: maxDiskGiB });
  }
  const resources = {
    ...(cpus === undefined ? {} : { cpu: Math.max(1, Math.ceil(cpus)) }),
    ...(memoryMiB === undefined ? {} : { memory: gibibytes(memoryMiB) }),
    ...(asked === undefined ? {} : { disk: Math.min(asked, maxDiskGiB) }),
  };
  return Object.keys(resources).length === 0 ? null : resources;
}

function gibibytes(mebibytes: number): number {
  return Math.max(1, Math.ceil(mebibytes / mebibytesPerGibibyte));
}

/** The image of a task. @throws ConfigError `config.missing-image` */
export function requireImage(spec: SandboxSpec, options: DaytonaBackendOptions): string {
  const image = spec.image ?? options.image;
  if (image) return image;
  throw new ConfigError(`The task ${spec.taskId} names no image, and the daytona backend has none for it`, {
    code: 'config.missing-image',
    hint: 'Name one for all tasks (terminal.image), or one in the task; snapshot:NAME is a snapshot.',
  });
}
