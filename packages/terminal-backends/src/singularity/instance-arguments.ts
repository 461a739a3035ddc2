import { join } from 'node:path';
import type { SandboxSpec } from '../backend.ts';
import type { Privileges } from './privileges.ts';
import type { SingularityBackendOptions, WritableMode } from './singularity-options.ts';

const defaultMaxProcesses = 512;

/** Folders of a sandbox on this machine. */
export interface InstanceFolders {
  /** What it changes over its image, or the unpacked image itself. */
  readonly files: string;
  /** Where its temporary folders are, and the home of a user who is not root. */
  readonly work: string;
  /** Where the program writes the number of the first process to. */
  readonly pidFile: string;
}

/** Where they are, below the folder of the sandbox. */
export function instanceFolders(folder: string): InstanceFolders {
  return { files: join(folder, 'files'), work: join(folder, 'work'), pidFile: join(folder, 'pid') };
}

/** A file that holds a file system, with what a sandbox changes. */
export function overlayImageOf(files: string): string {
  return join(files, 'overlay.img');
}

/** Arguments for limits; none where the machine cannot set them. */
export function limitArguments(spec: SandboxSpec, options: SingularityBackendOptions): readonly string[] {
  const { memoryMiB, cpus } = spec;
  return [
    ...(memoryMiB === undefined ? [] : ['--memory', `${memoryMiB}M`]),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...['--pids-limit', String(options.maxProcesses ?? defaultMaxProcesses)],
  ];
}

/** Whether programs of the task must be kept off the network. */
export function forbidsNetwork(spec: SandboxSpec, options: SingularityBackendOptions): boolean {
  return !(spec.allowNetwork ?? options.allowNetwork ?? true);
}

/** What is asked of an instance. */
export interface StartRequest {
  readonly name: string;
  readonly image: string;
  readonly folder: string;
  readonly mode: WritableMode;
  readonly privileges: Privileges;
  readonly limits: readonly string[];
  readonly hasNetwork: boolean;
}

/** Arguments of the program that start an instance. */
export function startArguments(request: StartRequest, options: SingularityBackendOptions): readonly string[] {
  const { name, image, mode, privileges, limits, hasNetwork } = request;
  const { files, work, pidFile } = instanceFolders(request.folder);
  const mounts = (options.mounts ?? []).flatMap(({ source, target, isReadOnly = true }) => [
    '--bind',
    `${source}:${target}:${isReadOnly ? 'ro' : 'rw'}`,
  ]);
  return [
    ...['instance', 'start', '--containall', '--cleanenv', '--no-umask', '--workdir', work, '--pid-file', pidFile],
    // The home of anybody else must be one that they can write to: it comes from the work folder.
    ...(privileges.isRoot ? ['--no-home'] : []),
    ...privileges.forStart,
    ...(hasNetwork ? [] : ['--net', '--network', 'none']),
    ...limits,
    ...(options.nvidia ? ['--nv'] : []),
    ...mounts,
    ...fileArguments(mode, files, image),
    name,
  ];
}

function fileArguments(mode: WritableMode, files: string, image: string): readonly string[] {
  switch (mode) {
    case 'overlay':
      return ['--overlay', files, image];
    case 'overlay-image':
      return ['--overlay', overlayImageOf(files), image];
    case 'sandbox':
      return ['--writable', files];
    case 'tmpfs':
      return ['--writable-tmpfs', image];
  }
}
