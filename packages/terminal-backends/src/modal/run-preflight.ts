import { ConfigError, errorMessage, isTalariaError, mapConcurrent } from '@talaria/core';
import type { ModalSetup } from './modal-setup.ts';
import { openModalSandbox } from './open-modal-sandbox.ts';
import type { ModalPreflightOptions } from './preflight-options.ts';

const imagesAtOnce = 4;

/** Checks package, credentials and service, and then all images; fails with one list of all that is wrong. */
export async function runPreflight(setup: ModalSetup, options: ModalPreflightOptions): Promise<void> {
  const { signal } = options;
  const account = await setup.connect();
  await account.openApp(signal).catch((error: unknown) => {
    throw nameUnreachable(error);
  });
  const own = setup.options.image;
  const images = [...new Set(options.images ?? (own === undefined ? [] : [own]))];
  const faults = await mapConcurrent(
    images,
    imagesAtOnce,
    async (image) => {
      try {
        await checkImage(image, setup, options);
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
    hint: 'Correct their names, or give Modal a login for their registry (registrySecret).',
    cause: first.error,
  });
}

/** Before a run, that is the user's to mend. */
function nameUnreachable(error: unknown): unknown {
  if (!isTalariaError(error) || error.code !== 'sandbox.unreachable') return error;
  return new ConfigError(error.message, { code: 'config.modal-unreachable', hint: error.hint, cause: error });
}

async function checkImage(image: string, setup: ModalSetup, { mode, signal }: ModalPreflightOptions): Promise<void> {
  if (mode === 'start') {
    await using sandbox = await openModalSandbox({ taskId: 'preflight', image }, setup, signal);
    await sandbox.run('true', { signal });
  } else {
    await setup.images.ensure(await setup.connect(), image, signal);
  }
}
