import { type ContainerPlan, createContainerBody } from './container-body.ts';
import type { DockerEngine } from './docker-engine.ts';
import { dockerError, readEngineAnswer } from './docker-error.ts';
import type { DockerSetup } from './docker-setup.ts';
import { finishSoon } from './finish-soon.ts';
import { removeContainer } from './remove-container.ts';

/**
 * Makes a container and starts it. Neither request is broken off when the signal comes: the engine would go on with it, and
 * nobody would know when to look for what it made; only an engine that hangs is not waited for. Where it fails, the container may be there.
 */
export async function runContainer(
  plan: ContainerPlan,
  engine: DockerEngine,
  tools: { readonly setup: DockerSetup; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { setup, signal } = tools;
  // Others may find out the same meanwhile: what counts is what this attempt asked for.
  const missing = { ...setup.lacks };
  const container = engine.client.getContainer(plan.name);
  try {
    signal?.throwIfAborted();
    await finishSoon(engine.client.createContainer(createContainerBody(plan)), signal, setup.clock);
    signal?.throwIfAborted();
    await finishSoon(container.start(), signal, setup.clock);
    signal?.throwIfAborted();
  } catch (error) {
    if (!learnFrom(error, plan, { ...setup, missing })) throw explainStart(error, plan);
    await removeContainer(container, setup.clock, signal);
    await runContainer(plan, engine, tools);
  }
}

/** Whether the engine refused something that a sandbox can do without, and that was not known to be missing. */
function learnFrom(
  error: unknown,
  { spec, options }: ContainerPlan,
  { lacks, logger, missing }: DockerSetup & { readonly missing: Readonly<DockerSetup['lacks']> },
): boolean {
  const message = readEngineAnswer(error)?.message ?? '';
  if (/storage-opt/i.test(message) && spec.diskMiB !== undefined && !missing.diskLimits) {
    const hint = 'The disk of sandboxes has no limit of its own here.';
    if (!lacks.diskLimits) logger.warn('sandbox.disk-not-limited', { message, hint });
    lacks.diskLimits = true;
    return true;
  }
  if (/rlimit/i.test(message) && options.ulimits === undefined && missing.ulimits !== 'inherited') {
    const hint = 'Name limits that the engine can set in ulimits.';
    if (lacks.ulimits === 'none') logger.warn('sandbox.limits-not-raised', { message, hint });
    // Another attempt may have found out more meanwhile.
    if (lacks.ulimits === missing.ulimits) lacks.ulimits = missing.ulimits === 'none' ? 'raised' : 'inherited';
    return true;
  }
  return false;
}

/** What an image or an option is to blame for. */
function explainStart(error: unknown, { image, options }: ContainerPlan): unknown {
  const message = readEngineAnswer(error)?.message ?? '';
  const known = startFaults.find(({ text }) => text.test(message));
  if (known === undefined) return error;
  const what = `Docker cannot start a container from ${image}: ${message.trim()}`;
  const platform = options.platform === undefined ? '' : ` (asked for: ${options.platform})`;
  const hint = `${known.hint}${known.text.test('exec format error') ? platform : ''}`;
  return dockerError(what, { phase: 'create' }, { code: 'sandbox.failed', hint, cause: error });
}

const startFaults: readonly { readonly text: RegExp; readonly hint: string }[] = [
  { text: /exec format error/i, hint: 'The image is for another processor: use one for this machine, or set platform' },
  { text: /\/bin\/sh.*(?:no such file|not found)/i, hint: 'Use an image with /bin/sh, sleep and date.' },
  {
    text: /bind source path does not exist/i,
    hint: 'Make the folder on the machine of the engine, or drop the mount.',
  },
  { text: /rlimit/i, hint: 'Name limits in ulimits that are within those of the engine.' },
  { text: /network .* not found/i, hint: 'Create the network (docker network create), or name another one.' },
];
