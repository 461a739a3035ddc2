import { checkImages } from '../preflight/check-images.ts';
import { nameUnreachable } from '../preflight/name-unreachable.ts';
import type { ModalSetup } from './modal-setup.ts';
import { openModalSandbox } from './open-modal-sandbox.ts';
import type { ModalPreflightOptions } from './preflight-options.ts';

/** Checks package, credentials and service, and then all images; fails with one list of all that is wrong. */
export async function runPreflight(setup: ModalSetup, options: ModalPreflightOptions): Promise<void> {
  const { signal } = options;
  const account = await setup.connect();
  await account.openApp(signal).catch((error: unknown) => {
    throw nameUnreachable(error, 'config.modal-unreachable');
  });
  await checkImages({
    images: options.images,
    own: setup.options.image,
    check: (image) => checkImage(image, setup, options),
    hint: 'Correct their names, or give Modal a login for their registry (registrySecret).',
    signal,
  });
}

async function checkImage(image: string, setup: ModalSetup, { mode, signal }: ModalPreflightOptions): Promise<void> {
  if (mode === 'start') {
    await using sandbox = await openModalSandbox({ taskId: 'preflight', image }, setup, signal);
    await sandbox.run('true', { signal });
  } else {
    await setup.images.ensure(await setup.connect(), image, signal);
  }
}
