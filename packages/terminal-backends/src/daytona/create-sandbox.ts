import type { Daytona, Sandbox } from '@daytona/sdk';
import { isAbortOf, retry, type SandboxError } from '@talaria/core';
import { tellListener } from '../tell-listener.ts';
import { createSandboxParams, type SandboxPlan } from './create-params.ts';
import type { DaytonaConnection } from './daytona-connection.ts';
import { daytonaError, judgeFailure, readDaytonaFailure } from './daytona-error.ts';
import type { DaytonaSetup } from './daytona-setup.ts';

const defaultCreateTimeoutMs = 300_000;
const createAttempts = 6;
const baseDelayMs = 2_000;
const maxDelayMs = 60_000;
const keptLogLines = 20;
const millisecondsPerSecond = 1_000;

/**
 * Makes a sandbox and waits until it runs. Only a refusal for the rate is tried again; after any other failure there may be
 * a sandbox of this name, and it is taken where there is. @throws SandboxError `sandbox.build-failed`, or what the SDK throws
 */
export async function createSandbox(
  plan: SandboxPlan,
  { client }: DaytonaConnection,
  { setup, signal }: { readonly setup: DaytonaSetup; readonly signal: AbortSignal | undefined },
): Promise<Sandbox> {
  const { logger, clock, options } = setup;
  const timeout = (options.createTimeoutMs ?? defaultCreateTimeoutMs) / millisecondsPerSecond;
  const log: string[] = [];
  function hearLog(text: string): void {
    log.push(...text.split('\n').filter((line) => line.trim() !== ''));
    log.splice(0, log.length - keptLogLines);
    tellListener(options.onBuildLog, { image: plan.image, text }, logger);
  }
  async function create(): Promise<Sandbox> {
    const params = createSandboxParams(plan, logger);
    if (!('image' in params)) return await client.create(params, { timeout });
    return await client.create(params, { timeout, onSnapshotCreateLogs: hearLog });
  }
  try {
    return await retry(create, {
      attempts: createAttempts,
      baseDelayMs,
      maxDelayMs,
      clock,
      signal,
      isRetryable: (error) => judge(error) === 'rate-limited',
      delayOf: (error) => readDaytonaFailure(error)?.retryAfterMs ?? undefined,
      onRetry: (attempt, delayMs) => logger.warn('sandbox.rate-limited', { attempt, delayMs, sandboxId: plan.name }),
    });
  } catch (error) {
    if (isAbortOf(error, signal)) throw error;
    const explained = explainCreation(error, plan, log);
    const kind = judge(error);
    if (explained !== error || (kind !== 'conflict' && kind !== 'unclear')) throw explained;
    return await adoptSandbox(plan.name, { client, timeout, cause: error });
  }
}

/** Where an answer got lost, the sandbox may be there all the same: nobody else makes one of this name. */
async function adoptSandbox(
  name: string,
  parts: { readonly client: Daytona; readonly timeout: number; readonly cause: unknown },
): Promise<Sandbox> {
  const sandbox = await parts.client.get(name).catch(() => null);
  if (sandbox === null) throw parts.cause;
  await sandbox.waitUntilStarted(parts.timeout);
  return sandbox;
}

function judge(error: unknown): string | null {
  const failure = readDaytonaFailure(error);
  return failure === null ? null : judgeFailure(failure);
}

/** The SDK tells of what became of a sandbox by a text alone. */
function explainCreation(error: unknown, plan: SandboxPlan, log: readonly string[]): unknown {
  const message = readDaytonaFailure(error)?.message ?? '';
  const [, state, reason = ''] = /status: (\w+), error reason: (.*)$/s.exec(message) ?? [];
  if (state === 'build_failed') return buildError(plan.image, reason, log, error);
  if (state !== undefined) {
    return daytonaError(
      `Daytona made a sandbox of ${plan.image} that is in the state ${state}: ${reason}`,
      { phase: 'create' },
      {
        code: 'sandbox.failed',
        retryable: true,
        hint: `${describeResources(plan)}Daytona may have no machine free for it: try again, or ask for less.`,
        cause: error,
      },
    );
  }
  if (/within \S+ seconds|pending for more than/.test(message)) {
    return daytonaError(
      `Daytona did not make a sandbox of ${plan.image} in time: ${message}`,
      { phase: 'create' },
      {
        code: 'sandbox.timeout',
        retryable: true,
        hint: 'The first sandbox of an image takes as long as its build: raise createTimeoutMs (terminal.daytona.create_timeout_sec), or make a snapshot of it.',
        cause: error,
      },
    );
  }
  if (judge(error) !== 'rate-limited' && /quota|limit exceeded|exceeds/i.test(message)) {
    return daytonaError(
      `Daytona gives no sandbox for this: ${message}`,
      { phase: 'create' },
      {
        code: 'sandbox.quota',
        hint: `${describeResources(plan)}Ask for less, remove sandboxes that nobody needs (talaria sandboxes sweep), or raise the limits of the organization.`,
        cause: error,
      },
    );
  }
  return error;
}

function describeResources({ spec: { cpus, memoryMiB, diskMiB } }: SandboxPlan): string {
  const parts = [
    ...(cpus === undefined ? [] : [`${cpus} processors`]),
    ...(memoryMiB === undefined ? [] : [`${memoryMiB} MiB of memory`]),
    ...(diskMiB === undefined ? [] : [`${diskMiB} MiB of disk`]),
  ];
  return parts.length === 0 ? '' : `It was asked for ${parts.join(', ')}. `;
}

function buildError(image: string, reason: string, log: readonly string[], cause: unknown): SandboxError {
  const lines = log.length === 0 ? '' : `\nLast lines of the build:\n${log.join('\n')}`;
  return daytonaError(
    `Daytona cannot build the image ${image}: ${reason}${lines}`,
    { phase: 'create' },
    {
      code: 'sandbox.build-failed',
      hint: 'Correct the name of the image, and see that Daytona may pull it (registries are set in its console).',
      cause,
    },
  );
}
