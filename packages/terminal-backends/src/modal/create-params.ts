import type { SandboxCreateParams } from 'modal';
import type { SandboxSpec } from '../backend.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import type { ModalBackendOptions } from './modal-options.ts';

/** What a sandbox is made from, besides app and image. */
export interface SandboxPlan {
  /** Name of the sandbox at Modal, and its id. */
  readonly name: string;
  readonly spec: SandboxSpec;
  readonly tags: Record<string, string>;
  readonly options: ModalBackendOptions;
}

/** Talaria ends the sandbox in time; Modal's own limit is for when Talaria is no more. */
const lifetimeMarginMs = 60_000;
const millisecondsPerSecond = 1_000;

/**
 * Says how a sandbox is to be made (spec/terminal-backends.md 10.2). Start folder and variables are no part of that: each
 * process starts in `/`, enters its folder, which is made, and gets its variables through its input.
 */
export function createParams({ name, spec, tags, options }: SandboxPlan): SandboxCreateParams {
  const { gpu, regions, idleTimeoutMs } = options;
  return {
    name,
    tags,
    timeoutMs: wholeSeconds((spec.maxLifetimeMs ?? defaultLifetimeMs) + lifetimeMarginMs),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs: wholeSeconds(idleTimeoutMs) }),
    ...resources(spec, options),
    ...(gpu === undefined ? {} : { gpu }),
    ...network(spec, options),
    ...(regions === undefined ? {} : { regions: [...regions] }),
  };
}

/** Modal takes no fractions of a second. */
function wholeSeconds(durationMs: number): number {
  return Math.ceil(durationMs / millisecondsPerSecond) * millisecondsPerSecond;
}

/** What a task asks for is what it gets, as on other backends: reserved, and no more than that unless the options say so. */
function resources(
  { cpus, memoryMiB }: SandboxSpec,
  options: ModalBackendOptions,
): Pick<SandboxCreateParams, 'cpu' | 'cpuLimit' | 'memoryMiB' | 'memoryLimitMiB'> {
  const cpu = cpus ?? options.cpus;
  const memory = memoryMiB ?? options.memoryMiB;
  return {
    ...(cpu === undefined ? {} : { cpu, cpuLimit: Math.max(cpu, options.cpuLimit ?? cpu) }),
    ...(memory === undefined
      ? {}
      : {
          memoryMiB: Math.ceil(memory),
          memoryLimitMiB: Math.ceil(Math.max(memory, options.memoryLimitMiB ?? memory)),
        }),
  };
}

function network(
  { allowNetwork }: SandboxSpec,
  options: ModalBackendOptions,
): Pick<SandboxCreateParams, 'blockNetwork' | 'outboundCidrAllowlist' | 'outboundDomainAllowlist'> {
  if (!(allowNetwork ?? options.allowNetwork ?? true)) return { blockNetwork: true };
  const { allowedCidrs, allowedDomains } = options;
  return {
    ...(allowedCidrs === undefined ? {} : { outboundCidrAllowlist: [...allowedCidrs] }),
    ...(allowedDomains === undefined ? {} : { outboundDomainAllowlist: [...allowedDomains] }),
  };
}
