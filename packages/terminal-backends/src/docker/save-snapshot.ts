import { errorMessage, isAbortOf, raceAbort } from '@talaria/core';
import type Dockerode from 'dockerode';
import { snapshotChange } from './container-labels.ts';
import type { DockerEngine } from './docker-engine.ts';
import { explainDockerError, isMissing } from './docker-error.ts';
import type { DockerSetup } from './docker-setup.ts';

/** What a snapshot is made with. */
export interface SnapshotParts {
  /** Of the image that the container was made from. */
  readonly facts: { readonly Config: Partial<Pick<Dockerode.ImageInspectInfo['Config'], 'Entrypoint' | 'Cmd'>> };
  readonly engine: Pick<DockerEngine, 'client' | 'host'>;
  readonly setup: Pick<DockerSetup, 'createId' | 'logger'>;
  readonly signal: AbortSignal;
}

const repository = 'talaria-snapshot';

/**
 * Saves the file system of a container as an image, without what is on volumes and in memory. The container stands still
 * meanwhile, and a little longer where it is aborted. Gives the image's name; removing it is up to whoever asked for it.
 */
export async function saveSnapshot(container: Dockerode.Container, parts: SnapshotParts): Promise<string> {
  const { facts, engine, setup, signal } = parts;
  signal.throwIfAborted();
  const tag = setup.createId('snapshot');
  const { Entrypoint, Cmd } = facts.Config;
  // An empty list would keep what the container has; an empty word takes it away.
  const entrypoint = Entrypoint?.length ? Entrypoint : [''];
  const image = `${repository}:${tag}`;
  // Not broken off when the signal comes: the engine would make the image all the same.
  const saving = container.commit({
    repo: repository,
    tag,
    pause: true,
    // What Talaria runs in a container is no part of what is in it.
    changes: [snapshotChange, `ENTRYPOINT ${JSON.stringify(entrypoint)}`, `CMD ${JSON.stringify(Cmd ?? [])}`],
  });
  try {
    await raceAbort(saving, signal);
  } catch (error) {
    if (isAbortOf(error, signal)) deleteLate(saving, { image, engine, setup });
    throw explainDockerError(error, { action: 'save the sandbox as an image', phase: 'transfer', ...engine, signal });
  }
  return image;
}

/** Nobody knows the name of one that was given up. */
function deleteLate(
  saving: Promise<unknown>,
  { image, engine, setup }: { readonly image: string } & Pick<SnapshotParts, 'engine' | 'setup'>,
): void {
  saving
    .then(() => engine.client.getImage(image).remove())
    .catch((error: unknown) => {
      if (!isMissing(error)) setup.logger.warn('sandbox.snapshot-left', { image, message: errorMessage(error) });
    });
}
