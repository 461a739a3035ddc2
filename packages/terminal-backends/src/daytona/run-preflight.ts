import { checkImages } from '../preflight/check-images.ts';
import { nameUnreachable } from '../preflight/name-unreachable.ts';
import type { DaytonaConnection } from './daytona-connection.ts';
import { explainDaytonaError } from './daytona-error.ts';
import type { DaytonaSetup } from './daytona-setup.ts';
import { openDaytonaSandbox } from './open-daytona-sandbox.ts';
import type { DaytonaPreflightOptions } from './preflight-options.ts';

/** Checks the package and the key, then all images, and fails with one list of all that is wrong. */
export async function runPreflight(setup: DaytonaSetup, options: DaytonaPreflightOptions): Promise<void> {
  const { signal, mode = 'key' } = options;
  signal?.throwIfAborted();
  await tryKey(await setup.connect(), signal);
  if (mode === 'key') return;
  await checkImages({
    images: options.images,
    own: setup.options.image,
    async check(image) {
      await using sandbox = await openDaytonaSandbox({ taskId: 'preflight', image }, setup, signal);
      await sandbox.run('true', { signal });
    },
    hint: 'Correct their names, and see that Daytona may pull them (registries are set in its console).',
    signal,
  });
}

/** The smallest question that needs a key. */
async function tryKey({ client, apiUrl }: DaytonaConnection, signal: AbortSignal | undefined): Promise<void> {
  try {
    await client.list({ limit: 1 }).next();
  } catch (error) {
    throw nameUnreachable(
      explainDaytonaError(error, { action: 'list sandboxes', phase: 'create', apiUrl, signal }),
      'config.daytona-unreachable',
    );
  }
}
