import { mkdir, readFile, readlink } from 'node:fs/promises';
import { ConfigError, makeFolder, systemErrorCode } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import { describeOwner, type SandboxOwner } from '../ledger/sandbox-owner.ts';
import { removeTree } from '../local/remove-tree.ts';
import { forbidsNetwork, instanceFolders, limitArguments, startArguments } from './instance-arguments.ts';
import { stopInstance } from './instances.ts';
import { privilegesToTry } from './privileges.ts';
import { codeFor, hintFor, readComplaint, singularityError } from './singularity-error.ts';
import type { WritableMode } from './singularity-options.ts';
import type { Privileges, SingularitySetup } from './singularity-setup.ts';

/** What an instance is started from. */
export interface InstancePlan {
  readonly name: string;
  readonly spec: SandboxSpec;
  /** Path of a `.sif` file or of an unpacked image. */
  readonly image: string;
  /** Folder of the sandbox on this machine. */
  readonly folder: string;
  /** It was started before, and has the files that it had. @default false */
  readonly isAgain?: boolean | undefined;
}

/** An instance that runs. */
export interface RunningInstance {
  /** Its first process, by which can be told whether it still lives. */
  readonly first: SandboxOwner;
  readonly privileges: Privileges;
  readonly hasLimits: boolean;
}

interface Way {
  readonly mode: WritableMode;
  readonly privileges: Privileges;
}

type Attempt =
  | { readonly kind: 'running'; readonly instance: RunningInstance }
  | { readonly kind: 'refused'; readonly complaint: string };

const maxStartMs = 120_000;
const maxUnpackMs = 600_000;
const maxProofMs = 30_000;
const modes: readonly WritableMode[] = ['overlay', 'sandbox', 'tmpfs'];
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
  const { findings, options } = setup;
  if (findings.way !== null) {
    const attempt = await tryWay(plan, findings.way, setup, signal);
    if (attempt.kind === 'running') return attempt.instance;
    throw startError(plan, attempt.complaint);
  }
  const complaints: string[] = [];
  for (const mode of options.writable === undefined ? modes : [options.writable]) {
    for (const privileges of privilegesToTry(options.fakeroot)) {
      const attempt = await tryWay(plan, { mode, privileges }, setup, signal);
      const complaint =
        attempt.kind === 'refused' ? attempt.complaint : await findWriteFault(plan, privileges, setup, signal);
      if (attempt.kind === 'running' && complaint === null) {
        keepWay({ mode, privileges }, setup);
        return attempt.instance;
      }
      complaints.push(complaint ?? '');
      setup.logger.debug('sandbox.way-refused', { mode, arguments: privileges.forStart, complaint });
      await stopInstance(plan.name, setup);
      if (faultOfImage.test(complaint ?? '')) throw startError(plan, complaint ?? '');
    }
  }
  // What the best way was refused for is what should be mended.
  throw startError(plan, complaints[0] ?? '');
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

function keepWay(way: Way, { findings, logger }: SingularitySetup): void {
  if (findings.way !== null) return;
  findings.way = way;
  if (way.mode !== 'tmpfs') return;
  const hint =
    'Files of sandboxes lie in memory, mostly no more than 64 MiB: see "sessiondir max size" in apptainer.conf.';
  logger.warn('sandbox.little-space', { hint });
}

async function tryWay(
  plan: InstancePlan,
  way: Way,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const { findings, options, logger } = setup;
  const { name, spec, image, folder } = plan;
  const unpacking = await prepareFolders(plan, way.mode, setup, signal);
  if (unpacking !== null) return { kind: 'refused', complaint: unpacking };
  const hasNetwork = !forbidsNetwork(spec, options);
  // Others may find out the same meanwhile: what counts is what this attempt asked for.
  const limits = findings.lacksLimits ? [] : limitArguments(spec, options);
  const args = startArguments({ name, image, folder, ...way, limits, hasNetwork }, options);
  const result = await setup.call(args, { timeoutMs: maxStartMs });
  signal?.throwIfAborted();
  if (result.exitCode === 0) {
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

/** Makes the folders anew, unless they are to be kept; tells why that is not possible. */
async function prepareFolders(
  { image, folder, isAgain }: InstancePlan,
  mode: WritableMode,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const { files, work } = instanceFolders(folder);
  if (isAgain) return null;
  await removeTree(files);
  await makeFolder(work, { mode: 0o700 });
  if (mode === 'overlay') await mkdir(files, { mode: 0o755 });
  if (mode !== 'sandbox') return null;
  const result = await setup.call(['build', '--sandbox', files, image], { timeoutMs: maxUnpackMs, signal });
  return result.exitCode === 0 ? null : readComplaint(result.stderr || result.stdout);
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
