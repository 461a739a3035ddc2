import { ConfigError, errorMessage, mapConcurrent } from '@talaria/core';
import { type DockerEngine, pingDocker } from './docker-engine.ts';
import type { DockerPreflightOptions } from './docker-options.ts';
import type { DockerSetup } from './docker-setup.ts';
import { openDockerSandbox } from './open-docker-sandbox.ts';

const imagesAtOnce = 4;

/** Checks the engine and then all images, and fails with one list of all that is wrong. */
export async function runPreflight(setup: DockerSetup, options: DockerPreflightOptions): Promise<void> {
  const { signal, mode = 'exists' } = options;
  const engine = await setup.connect(signal);
  await pingDocker(engine);
  const own = setup.options.image;
  const images = [...new Set(options.images ?? (own === undefined ? [] : [own]))];
  const faults = await mapConcurrent(
    images,
    imagesAtOnce,
    async (image) => {
      try {
        await checkImage(image, mode, engine, { setup, signal });
        return null;
      } catch (error) {
        signal?.throwIfAborted();
        return { image, error };
      }
    },
    { signal },
  );
  const wrong = faults.filter((fault) => fault !== null);
  const [first, ...others] = wrong;
  if (first === undefined) return;
  if (others.length === 0) throw first.error;
  const lines = wrong.map(({ image, error }) => `${image}: ${errorMessage(error)}`);
  throw new ConfigError(`${wrong.length} of ${images.length} images cannot be used:\n${lines.join('\n')}`, {
    code: 'config.missing-image',
    hint: 'Correct their names, or bring them to the engine (docker pull, docker build, docker load).',
    cause: first.error,
  });
}

async function checkImage(
  image: string,
  mode: NonNullable<DockerPreflightOptions['mode']>,
  engine: DockerEngine,
  { setup, signal }: { readonly setup: DockerSetup; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { images, options } = setup;
  const pull = options.pull ?? 'missing';
  if (mode === 'start') {
    await using sandbox = await openDockerSandbox({ taskId: 'preflight', image }, setup, signal);
    await sandbox.run('true', { signal });
  } else if (mode === 'pull' || pull === 'never') {
    await images.ensure(engine, image, { pull, signal });
  } else if ((await images.find(engine, image, signal)) === null) {
    await images.ask(engine, image, signal);
  }
}
