import { ConfigError, contentHash, type Logger, raceAbort } from '@talaria/core';
import type { App, ModalClient, ModalClientParams } from 'modal';
import { type CallCancellation, createCallCancellation } from './call-cancellation.ts';
import { loadModal } from './load-modal.ts';
import { checkCredentials, readCredentials } from './modal-credentials.ts';
import { explainModalError, isNotFound } from './modal-error.ts';
import type { ModalBackendOptions } from './modal-options.ts';

/** A client with the app that all sandboxes of a backend belong to. */
export interface ModalAccount {
  readonly client: ModalClient;
  readonly cancellation: CallCancellation;
  readonly serverUrl: string;
  readonly appName: string;
  /** Server, account, environment and app: whoever shares them can see the same sandboxes. */
  readonly place: string;
  /** The app; made if it is not there. @throws ConfigError `config.modal-denied`; SandboxError `sandbox.unreachable` */
  openApp(signal: AbortSignal | undefined): Promise<App>;
  /** The app; `null` where there is none. */
  findApp(signal: AbortSignal | undefined): Promise<App | null>;
}

/** Gives the account; the network is not asked. */
export type ConnectModal = () => Promise<ModalAccount>;

/** Creates what connects once. A failure is not kept: package and credentials may be put right meanwhile. */
export function createModalConnector(options: ModalBackendOptions, logger: Logger): ConnectModal {
  let connected: Promise<ModalAccount> | undefined;
  return () => {
    connected ??= connect(options, logger).catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
    return connected;
  };
}

const defaultAppName = 'talaria';

async function connect(options: ModalBackendOptions, logger: Logger): Promise<ModalAccount> {
  const { appName = defaultAppName, environment } = options;
  const environmentName = options.environmentName ?? environment['MODAL_ENVIRONMENT'];
  const cancellation = createCallCancellation();
  const { ModalClient } = await loadModal(options.importModal);
  const client = createClient(ModalClient, {
    ...readCredentials(options),
    ...(environmentName ? { environment: environmentName } : {}),
    logLevel: 'warn',
    logger: createSdkLogger(logger),
    grpcMiddleware: [cancellation.middleware],
  });
  checkCredentials(client);
  checkServer(client, environment['MODAL_SERVER_URL']);
  const { serverUrl, tokenId, oauthClientId } = client.profile;
  const who = contentHash(tokenId ?? oauthClientId ?? '').slice(0, 8);
  return {
    client,
    cancellation,
    serverUrl,
    appName,
    place: [serverUrl, who, client.environmentName(), appName].join(' '),
    ...createAppSource(client, appName),
  };
}

function createClient(Client: typeof ModalClient, params: ModalClientParams): ModalClient {
  try {
    return new Client(params);
  } catch (error) {
    // It looks at the credentials, and nowhere else.
    throw explainModalError(error, { action: 'use the credentials', phase: 'create', serverUrl: '' });
  }
}

/** The SDK takes its server from this process alone; it must not talk to another one than was meant. */
function checkServer({ profile }: ModalClient, wanted: string | undefined): void {
  if (!wanted || wanted === profile.serverUrl) return;
  throw new ConfigError(`MODAL_SERVER_URL is ${wanted}, but the SDK of Modal would talk to ${profile.serverUrl}`, {
    code: 'config.invalid',
    hint: 'Set MODAL_SERVER_URL in the environment of this process, before it starts.',
  });
}

function createAppSource(client: ModalClient, name: string): Pick<ModalAccount, 'openApp' | 'findApp'> {
  const { serverUrl } = client.profile;
  let opened: Promise<App> | undefined;

  function open(): Promise<App> {
    opened ??= client.apps.fromName(name, { createIfMissing: true }).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function explained<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    signal?.throwIfAborted();
    try {
      return await raceAbort(work(), signal);
    } catch (error) {
      throw explainModalError(error, { action: `open the app ${name}`, phase: 'create', serverUrl, signal });
    }
  }

  return {
    openApp: (signal) => explained(signal, open),
    findApp: (signal) =>
      explained(signal, () =>
        client.apps.fromName(name).catch((error: unknown) => {
          if (isNotFound(error)) return null;
          throw error;
        }),
      ),
  };
}

/** What the SDK would print goes to the logger; what it says of each call does not. */
function createSdkLogger(logger: Logger): NonNullable<ModalClientParams['logger']> {
  const ignore = () => undefined;
  const describe = (message: string, values: readonly unknown[]) => ({ message, values: values.map(String) });
  return {
    debug: ignore,
    info: ignore,
    // The SDK warns of every sandbox on a local server, which has no certificate.
    warn: (message, ...values) => {
      if (!/insecure TLS/.test(message)) logger.warn('modal.warning', describe(message, values));
    },
    error: (message, ...values) => logger.error('modal.error', describe(message, values)),
  };
}
