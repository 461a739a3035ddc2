import type Dockerode from 'dockerode';
import type { SandboxSpec } from '../backend.ts';
import type { SandboxOwner } from '../ledger/sandbox-owner.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import { writeLabels } from './container-labels.ts';
import type { DockerBackendOptions, DockerMount } from './docker-options.ts';
import type { EngineLacks } from './docker-setup.ts';
import { isRootUser } from './find-places.ts';

/** What a container is made from. */
export interface ContainerPlan {
  /** Name of the container, and of the sandbox. */
  readonly name: string;
  readonly image: string;
  /** User of its processes, by the options or the image; empty for root. */
  readonly user: string;
  readonly spec: SandboxSpec;
  readonly owner: SandboxOwner;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly options: DockerBackendOptions;
  readonly lacks: Readonly<EngineLacks>;
}

/**
 * The first process: reaps what others leave, cannot be killed by any of them, ends at once when it is told to, and by
 * itself when the time is over. Called with the seconds to live. A sleep that could not be started must not make it spin.
 * At {@link endOthersSignal} it ends all others until none is there, which takes no process of its own, and says so.
 * Meanwhile it does not want to hear of children, so that none of them stays as a zombie and takes the place of the next
 * sleep. Another first process may stand before it (`Init`). What cannot be killed must not make it spin for more than
 * some seconds, and whether `kill` succeeds tells nothing of what is left. A shell that hears of a child all the same may
 * take a success for a failure (dash does), which must not end the loop: hence `until`.
 */
export const firstProcess = `
trap 'exit 0' TERM INT
trap '
  trap "" CHLD
  own=$(($$ == 1 ? 1 : 2)) round=0
  until kill -KILL -1 2>/dev/null; set -- /proc/[0-9]*; [ $# -le "$own" ] || [ "$((round += 1))" -gt 20000 ]; do :; done
  trap - CHLD
  echo ended
' USR2
command -v sleep >/dev/null && now=$(date +%s) || exit 127
end=$((now + $1))
while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
  sleep "$left" &
  wait $!
  [ $? -ne 127 ] || exit 127
done
`;

/** What the first process is told by from outside that it is to end all others. */
export const endOthersSignal = 'SIGUSR2';

/** Talaria ends the sandbox in time; the container itself is for when Talaria is no more. */
const lifetimeMarginMs = 60_000;

/** What a program may do as root, but for changing the machine: install packages, change owners, kill. */
const capabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'SETUID',
  'SETGID',
  'KILL',
  'SETFCAP',
  'NET_BIND_SERVICE',
];

const bytesPerMiB = 1_048_576;
const nanosecondsPerCpu = 1e9;
const defaultMaxProcesses = 512;
const defaultSharedMemoryMiB = 64;
/** Where limits cannot be raised. */
const loweredUlimits = { core: { soft: 0, hard: 0 } };
const defaultUlimits = { ...loweredUlimits, nofile: { soft: 65_536, hard: 65_536 } };
/** Where not even the engine's own can be had: Podman, as root, raises these two unless they are named. */
const leastUlimits = { ...loweredUlimits, nofile: { soft: 4_096, hard: 4_096 }, nproc: { soft: 8_192, hard: 8_192 } };
const ulimitsByLack = { none: defaultUlimits, raised: loweredUlimits, inherited: leastUlimits };

/** Says how a container is to be made (spec/terminal-backends.md 8.2). */
export function createContainerBody(plan: ContainerPlan): Dockerode.ContainerCreateOptions {
  const { name, image, spec, options } = plan;
  const lifetimeMs = (spec.maxLifetimeMs ?? defaultLifetimeMs) + lifetimeMarginMs;
  const platform = options.platform === undefined ? {} : { platform: options.platform };
  return {
    name,
    ...platform,
    Image: image,
    Entrypoint: ['/bin/sh', '-c', firstProcess, 'talaria', String(Math.ceil(lifetimeMs / 1_000))],
    Cmd: [],
    ...(spec.cwd?.startsWith('/') ? { WorkingDir: spec.cwd } : {}),
    ...(options.user === undefined ? {} : { User: options.user }),
    Labels: writeLabels({ ...plan, taskId: spec.taskId }),
    Healthcheck: { Test: ['NONE'] },
    Tty: false,
    OpenStdin: false,
    HostConfig: createHostConfig(plan),
  };
}

function createHostConfig({ spec, options, lacks, user }: ContainerPlan): Dockerode.HostConfig {
  const { cpus, memoryMiB, diskMiB, allowNetwork = options.allowNetwork ?? true } = spec;
  const memory = memoryMiB === undefined ? undefined : Math.round(memoryMiB * bytesPerMiB);
  const ulimits = Object.entries(options.ulimits ?? ulimitsByLack[lacks.ulimits]);
  return {
    AutoRemove: true,
    CapDrop: ['ALL'],
    // Without the setuid bit no other user comes by them under Docker, while Podman hands them out.
    CapAdd: isRootUser(user) || options.allowSetuid ? capabilities : [],
    SecurityOpt: options.allowSetuid ? [] : ['no-new-privileges'],
    PidsLimit: options.maxProcesses ?? defaultMaxProcesses,
    ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * nanosecondsPerCpu) }),
    // Without the second, swap would double the limit.
    ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
    NetworkMode: allowNetwork ? (options.network ?? 'default') : 'none',
    ...(diskMiB === undefined || lacks.diskLimits ? {} : { StorageOpt: { size: `${Math.ceil(diskMiB)}M` } }),
    ShmSize: (options.sharedMemoryMiB ?? defaultSharedMemoryMiB) * bytesPerMiB,
    Ulimits: ulimits.map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    LogConfig: { Type: 'none', Config: {} },
    Mounts: (options.mounts ?? []).map(describeMount),
    ...options.hostConfig,
  };
}

function describeMount(mount: DockerMount): Dockerode.MountConfig[number] {
  switch (mount.kind) {
    case 'bind':
      return { Type: 'bind', Source: mount.source, Target: mount.target, ReadOnly: mount.isReadOnly ?? true };
    case 'volume':
      return { Type: 'volume', Source: mount.source, Target: mount.target, ReadOnly: mount.isReadOnly ?? false };
    case 'tmpfs': {
      // No bytes is no limit.
      const SizeBytes = Math.round((mount.sizeMiB ?? 0) * bytesPerMiB);
      return { Type: 'tmpfs', Source: '', Target: mount.target, TmpfsOptions: { Mode: 0o1777, SizeBytes } };
    }
  }
}
