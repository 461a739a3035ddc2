import { ConfigError, errorMessage, isTalariaError, mapConcurrent } from '@talaria/core';
import type { DaytonaConnection } from './daytona-connection.ts';
import { explainDaytonaError } from './daytona-error.ts';
import type { DaytonaSetup } from './daytona-setup.ts';
import { openDaytonaSandbox } from './open-daytona-sandbox.ts';
import type { DaytonaPreflightOptions } from './preflight-options.ts';

const imagesAtOnce = 4;

/** Checks the package and the key, then all images, and fails with one list of all that is wrong. */
export async function runPreflight(setup: DaytonaSetup, options: DaytonaPreflightOptions): Promise<void> {
  const { signal, mode = 'key' } = options;
  signal?.throwIfAborted();
  await tryKey(await setup.connect(), signal);
  if (mode === 'key') return;
  const own = setup.options.image;
  const images = [...new Set(options.images ?? (own === undefined ? [] : [own]))];
  const faults = await mapConcurrent(
    images,
    imagesAtOnce,
    async (image) => {
      try {
        await using sandbox = await openDaytonaSandbox({ taskId: 'preflight', image }, setup, signal);
        await sandbox.run('true', { signal });
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
    hint: 'Correct their names, and see that Daytona may pull them (registries are set in its console).',
    cause: first.error,
  });
}

/** The smallest question that needs a key. */
async function tryKey({ client, apiUrl }: DaytonaConnection, signal: AbortSignal | undefined): Promise<void> {
  try {
    await client.list({ limit: 1 }).next();
  } catch (error) {
    throw nameUnreachable(explainDaytonaError(error, { action: 'list sandboxes', phase: 'create', apiUrl, signal }));
  }
}

/** Before a run, that is the user's to mend. */
function nameUnreachable(error: unknown): unknown {
  if (!isTalariaError(error) || error.code !== 'sandbox.unreachable') return error;
  return new ConfigError(error.message, { code: 'config.daytona-unreachable', hint: error.hint, cause: error });
}
