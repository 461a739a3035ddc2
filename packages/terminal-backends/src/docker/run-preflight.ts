import { checkImages } from '../preflight/check-images.ts';
import { type DockerEngine, pingDocker } from './docker-engine.ts';
import type { DockerPreflightOptions } from './docker-options.ts';
import type { DockerSetup } from './docker-setup.ts';
import { openDockerSandbox } from './open-docker-sandbox.ts';

/** Checks the engine and then all images, and fails with one list of all that is wrong. */
export async function runPreflight(setup: DockerSetup, options: DockerPreflightOptions): Promise<void> {
  const { signal, mode = 'exists' } = options;
  const engine = await setup.connect(signal);
  await pingDocker(engine, { clock: setup.clock, signal });
  await checkImages({
    images: options.images,
    own: setup.options.image,
    check: (image) => checkImage(image, mode, engine, { setup, signal }),
    hint: 'Correct their names, or bring them to the engine (docker pull, docker build, docker load).',
    signal,
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
