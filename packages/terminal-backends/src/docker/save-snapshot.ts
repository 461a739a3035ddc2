import type Dockerode from 'dockerode';
import type { SandboxSpec } from '../backend.ts';
import { snapshotChange } from './container-labels.ts';
import type { DockerEngine } from './docker-engine.ts';
import { explainDockerError } from './docker-error.ts';
import type { DockerSetup } from './docker-setup.ts';

/** What a snapshot is made with. */
export interface SnapshotParts {
  readonly spec: SandboxSpec;
  /** Of the image that the container was made from. */
  readonly facts: Dockerode.ImageInspectInfo;
  readonly engine: DockerEngine;
  readonly setup: DockerSetup;
  readonly signal: AbortSignal;
}

const repository = 'talaria-snapshot';

/**
 * Saves the file system of a container as an image, without what is on volumes and in memory. The container stands still
 * meanwhile. Gives the image's name; removing it is up to whoever asked for it.
 */
export async function saveSnapshot(container: Dockerode.Container, parts: SnapshotParts): Promise<string> {
  const { facts, engine, setup, signal } = parts;
  signal.throwIfAborted();
  const tag = setup.createId('snapshot');
  const { Entrypoint, Cmd } = facts.Config;
  // An empty list would keep what the container has; an empty word takes it away.
  const entrypoint = Entrypoint?.length ? Entrypoint : [''];
  try {
    await container.commit({
      repo: repository,
      tag,
      pause: true,
      // What Talaria runs in a container is no part of what is in it.
      changes: [snapshotChange, `ENTRYPOINT ${JSON.stringify(entrypoint)}`, `CMD ${JSON.stringify(Cmd ?? [])}`],
    });
  } catch (error) {
    throw explainDockerError(error, { action: 'save the sandbox as an image', phase: 'transfer', ...engine, signal });
  }
  return `${repository}:${tag}`;
}
