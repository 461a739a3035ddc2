import { readFile, readlink } from 'node:fs/promises';
import { ConfigError, systemErrorCode } from '@talaria/core';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import { forbidsNetwork, instanceFolders, limitArguments, startArguments } from './instance-arguments.ts';
import type { InstancePlan, RunningInstance } from './instance-plan.ts';
import { type RefusedWay, tellWay, type Way, waysToTry } from './instance-ways.ts';
import { stopInstance } from './instances.ts';
import { findMissingMount, prepareFolders } from './prepare-folders.ts';
import type { Privileges } from './privileges.ts';
import { codeFor, hintFor, readComplaint, singularityError } from './singularity-error.ts';
import type { MachineFindings, SingularitySetup } from './singularity-setup.ts';

type Attempt =
  | { readonly kind: 'running'; readonly instance: RunningInstance }
  | { readonly kind: 'refused'; readonly complaint: string };

const maxStartMs = 120_000;
const maxProofMs = 30_000;
/** Faults that no other way would mend. */
const faultOfImage =
  /could not open image|no such image|image format|unknown image|bad superblock|exec format|no space left|quota exceeded/i;

/**
 * Starts an instance: in the way that was found to work on this machine, else in each that may, until a program in it
 * can write to its files. A start is not broken off, since nobody would know what it leaves. Where it fails, the caller
 * stops it and removes its folder.
 */
export async function startInstance(
  plan: InstancePlan,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<RunningInstance> {
  const { findings } = setup;
  const need = plan.spec.diskMiB === undefined ? 'anyDisk' : 'limitedDisk';
  if (findings.ways[need] === null) {
    // Those that begin together learn together.
    using _turn = await findings.search.acquire(signal);
    if (findings.ways[need] === null) return await searchWay(plan, need, setup, signal);
  }
  const attempt = await tryWay(plan, findings.ways[need], setup, signal);
  if (attempt.kind === 'running') return attempt.instance;
  throw startError(plan, attempt.complaint);
}

async function searchWay(
  plan: InstancePlan,
  need: keyof MachineFindings['ways'],
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<RunningInstance> {
  const { findings, options, logger } = setup;
  const refused: RefusedWay[] = [];
  for (const way of waysToTry(options, need === 'limitedDisk')) {
    const attempt = await tryWay(plan, way, setup, signal);
    const complaint =
      attempt.kind === 'refused' ? attempt.complaint : await findWriteFault(plan, way.privileges, setup, signal);
    if (attempt.kind === 'running' && complaint === null) {
      findings.ways[need] = way;
      tellWay(way, refused, need === 'limitedDisk', logger);
      return attempt.instance;
    }
    refused.push({ ...way, complaint: complaint ?? '' });
    await stopInstance(plan.name, setup);
    if (faultOfImage.test(complaint ?? '')) throw startError(plan, complaint ?? '');
  }
  // What the best way was refused for is what should be mended.
  throw startError(plan, refused[0]?.complaint ?? '');
}

/** Ends an instance with everything in it, and starts it again in the same way. Its files stay, but for those in memory. */
export async function restartInstance(
  plan: InstancePlan,
  setup: SingularitySetup,
  { first }: RunningInstance,
): Promise<RunningInstance> {
  await stopInstance(plan.name, setup, first);
  return await startInstance({ ...plan, isAgain: true }, setup, undefined);
}

async function tryWay(
  plan: InstancePlan,
  way: Way,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const { findings, options, logger } = setup;
  const { name, spec, image, folder } = plan;
  const unpacking = plan.isAgain ? null : await prepareFolders(plan, way, setup, signal);
  if (unpacking !== null) return { kind: 'refused', complaint: unpacking };
  const hasNetwork = !forbidsNetwork(spec, options);
  // Others may find out the same meanwhile: what counts is what this attempt asked for.
  const limits = findings.lacksLimits ? [] : limitArguments(spec, options);
  const args = startArguments({ name, image, folder, ...way, limits, hasNetwork }, options);
  const result = await setup.call(args, { timeoutMs: maxStartMs });
  signal?.throwIfAborted();
  if (result.exitCode === 0) {
    const missing = findMissingMount(result.stderr, options.mounts);
    if (missing !== null) return { kind: 'refused', complaint: missing };
    const attempt = await findStarted(plan, way.privileges, limits.length > 0);
    if (attempt.kind === 'running' && !hasNetwork && (await sharesNetwork(attempt.instance))) {
      throw networkError(plan, 'the program has made no network of its own for the instance');
    }
    return attempt;
  }
  const complaint = readComplaint(result.stderr || result.stdout);
  if (limits.length > 0 && /cgroup|systemd|dbus/i.test(complaint)) {
    if (!findings.lacksLimits) {
      const hint = 'Sandboxes have no limits here: they need cgroups v2, and for a user a session of systemd.';
      logger.warn('sandbox.not-limited', { message: complaint, hint });
    }
    findings.lacksLimits = true;
    return await tryWay(plan, way, setup, signal);
  }
  if (!hasNetwork && /network|cni/i.test(complaint)) throw networkError(plan, complaint);
  return { kind: 'refused', complaint };
}

async function findStarted(
  { name, folder }: InstancePlan,
  privileges: Privileges,
  hasLimits: boolean,
): Promise<Attempt> {
  const pid = await readPid(instanceFolders(folder).pidFile);
  const first = pid === null ? null : await describeOwner(pid);
  // Without a mark it has ended already.
  if (first === null || first.startMark === '') {
    return { kind: 'refused', complaint: `The instance ${name} ended at once` };
  }
  return { kind: 'running', instance: { first, privileges, hasLimits } };
}

/** Whether programs of an instance are on the network of this machine after all. What the kernel does not tell counts as no. */
async function sharesNetwork({ first }: RunningInstance): Promise<boolean> {
  const [own, its] = await Promise.all(
    ['self', first.pid].map((pid) => readlink(`/proc/${pid}/ns/net`).catch(() => null)),
  );
  return own !== null && own === its;
}

async function readPid(file: string): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return Number.parseInt(text, 10) || null;
}

/** Why a program in the instance cannot write to its files; `null` where it can. */
async function findWriteFault(
  { name }: InstancePlan,
  privileges: Privileges,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const words = ['sh', '-c', ': >"$HOME/.talaria-proof" && rm "$HOME/.talaria-proof"'];
  const args = ['exec', '--cleanenv', ...privileges.forExec, '--pwd', '/', `instance://${name}`, ...words];
  const result = await setup.call(args, { timeoutMs: maxProofMs, signal });
  return result.exitCode === 0 ? null : readComplaint(result.stderr || result.stdout);
}

function startError({ image }: InstancePlan, complaint: string): unknown {
  return singularityError(`No sandbox can be started from ${image}: ${complaint}`, {
    code: codeFor(complaint, 'sandbox.failed'),
    phase: 'create',
    hint: hintFor(complaint),
  });
}

function networkError({ spec }: InstancePlan, complaint: string): ConfigError {
  return new ConfigError(
    `The task ${spec.taskId} forbids the network, and programs cannot be kept off it here: ${complaint}`,
    {
      code: 'config.unsupported',
      hint: 'Allow the network for this task, use another backend, or have the administrator allow network namespaces (allow net users in apptainer.conf).',
    },
  );
}
