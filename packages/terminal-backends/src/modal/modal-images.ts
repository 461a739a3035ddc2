import { ConfigError, errorMessage, openDeadline, raceAbort, systemClock } from '@talaria/core';
import type { Image } from 'modal';
import { createSharedWork } from '../shared-work.ts';
import type { ModalAccount } from './modal-account.ts';
import { explainModalError, isNotFound, modalError } from './modal-error.ts';
import type { ModalBackendOptions } from './modal-options.ts';

/** The images of one account. */
export interface ModalImages {
  /**
   * Makes sure that an image is built, and gives it. However many ask at once, it is built once.
   * @throws ConfigError `config.missing-image`; SandboxError `sandbox.build-failed`
   */
  ensure(account: ModalAccount, image: string, signal: AbortSignal | undefined): Promise<Image>;
  /** Forgets one that was found to be gone. */
  forget(image: string): void;
}

/** Creates it. */
export function createModalImages(options: ModalBackendOptions): ModalImages {
  const builds = createSharedWork<Image>();
  const built = new Map<string, Image>();
  return {
    async ensure(account, image, signal) {
      signal?.throwIfAborted();
      const known = built.get(image);
      if (known !== undefined) return known;
      const made = await builds.join(image, (shared) => buildImage(account, image, options, shared), signal);
      built.set(image, made);
      return made;
    },
    forget(image) {
      built.delete(image);
    },
  };
}

/** Whether an image is named by the number that Modal gave it: it is built already, and nothing is added to it. */
export function isImageId(image: string): boolean {
  return image.startsWith('im-');
}

async function buildImage(
  account: ModalAccount,
  image: string,
  options: ModalBackendOptions,
  signal: AbortSignal,
): Promise<Image> {
  const { serverUrl, cancellation } = account;
  const app = await account.openApp(signal);
  try {
    const described = await raceAbort(describeImage(account, image, options), signal);
    return await cancellation.within(signal, () => raceAbort(described.build(app), signal));
  } catch (error) {
    if (isNotFound(error) && isImageId(image)) throw missingImage(image, error);
    const failed = failedBuild(error);
    if (failed === null) {
      throw explainModalError(error, { action: `build the image ${image}`, phase: 'create', serverUrl, signal });
    }
    throw buildError(image, error, await readBuildLog(account, failed));
  }
}

async function describeImage(
  { client }: ModalAccount,
  image: string,
  { registrySecret, setupCommands = [] }: ModalBackendOptions,
): Promise<Image> {
  if (isImageId(image)) return await client.images.fromId(image);
  const secret = registrySecret === undefined ? undefined : await client.secrets.fromName(registrySecret);
  return client.images.fromRegistry(image, secret).dockerfileCommands([...setupCommands]);
}

/** An image that was deleted, or a snapshot whose time is over. */
export function missingImage(image: string, cause: unknown): ConfigError {
  return new ConfigError(`Modal has no image ${image}`, {
    code: 'config.missing-image',
    hint: 'A snapshot may have been deleted or be too old, or be of another workspace. Start again from a registry image.',
    cause,
  });
}

/** The id of the build that an error of the SDK is about; `null` for other errors. */
function failedBuild(error: unknown): string | null {
  return /^Image build for (\S+) (?:failed|terminated|timed out)/.exec(errorMessage(error))?.[1] ?? null;
}

const logLineCount = 20;
const maxLogWaitMs = 10_000;
const logTimeoutSeconds = 5;

/** The SDK drops the log of a build; what is still there of it is asked for. Never throws. */
async function readBuildLog({ client }: ModalAccount, imageId: string): Promise<readonly string[]> {
  using deadline = openDeadline(systemClock, maxLogWaitMs, undefined);
  let text = '';
  try {
    const request = { imageId, timeout: logTimeoutSeconds, includeLogsForFinished: true };
    for await (const item of client.cpClient.imageJoinStreaming(request, { signal: deadline.signal })) {
      text += item.taskLogs.map((log) => log.data).join('');
      if (item.eof || item.result?.status) break;
    }
  } catch (error) {
    // The failure itself is told in any case.
    text += `(the rest of the log cannot be read: ${errorMessage(error)})`;
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-logLineCount);
}

function buildError(image: string, cause: unknown, logLines: readonly string[]): unknown {
  const log = logLines.length === 0 ? '' : `\nThe end of its log:\n${logLines.join('\n')}`;
  const message = errorMessage(cause);
  return modalError(
    `Modal cannot build the image ${image}: ${message}${log}`,
    { phase: 'create' },
    {
      code: 'sandbox.build-failed',
      retryable: /terminated due to external shut-down|timed out/.test(message),
      hint: 'Check the name and tag of the image, the login for its registry (registrySecret), and setupCommands.',
      cause,
    },
  );
}
