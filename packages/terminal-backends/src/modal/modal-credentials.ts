import { ConfigError } from '@talaria/core';
import type { ModalClient, ModalClientParams } from 'modal';
import type { ModalBackendOptions } from './modal-options.ts';

/** Who talks to Modal, as the SDK takes it; empty where the SDK is to find out by itself. */
export type ModalCredentials = Pick<
  ModalClientParams,
  'tokenId' | 'tokenSecret' | 'oauthRefreshToken' | 'oauthClientId' | 'oauthClientSecret' | 'oauthJwtKey'
>;

const oauthNames = {
  oauthRefreshToken: 'MODAL_OAUTH_REFRESH_TOKEN',
  oauthClientId: 'MODAL_OAUTH_CLIENT_ID',
  oauthClientSecret: 'MODAL_OAUTH_CLIENT_SECRET',
  oauthJwtKey: 'MODAL_OAUTH_JWT_KEY',
} as const;

/** Reads credentials from options and variables. @throws ConfigError `config.invalid` where two kinds are set */
export function readCredentials(
  options: Pick<ModalBackendOptions, 'tokenId' | 'tokenSecret' | 'environment'>,
): ModalCredentials {
  const { environment, tokenId, tokenSecret } = options;
  if (tokenId !== undefined && tokenSecret !== undefined) return { tokenId, tokenSecret: tokenSecret.reveal() };
  const id = environment['MODAL_TOKEN_ID'];
  const secret = environment['MODAL_TOKEN_SECRET'];
  const oauth = Object.fromEntries(
    Object.entries(oauthNames).flatMap(([key, name]) => (environment[name] ? [[key, environment[name]]] : [])),
  );
  const hasOauth = Object.keys(oauth).length > 0;
  if ((id || secret) && hasOauth) throw bothKinds(undefined);
  if (hasOauth) return oauth;
  return { ...(id ? { tokenId: id } : {}), ...(secret ? { tokenSecret: secret } : {}) };
}

/** Two kinds of credentials at once. */
export function bothKinds(cause: unknown): ConfigError {
  return new ConfigError('Both a Modal token and OAuth credentials are set', {
    code: 'config.invalid',
    hint: 'Unset either MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or the variables MODAL_OAUTH_….',
    cause,
  });
}

/** Looks, without the network, whether a client has anything to show. @throws ConfigError `config.missing-credentials` */
export function checkCredentials({ profile }: ModalClient): void {
  const hasToken = profile.tokenId && profile.tokenSecret;
  const hasOauth = profile.oauthRefreshToken && profile.oauthClientId;
  if (hasToken || hasOauth) return;
  throw missingCredentials(undefined);
}

/** Nothing to show. */
export function missingCredentials(cause: unknown): ConfigError {
  return new ConfigError('There are no credentials for Modal', {
    code: 'config.missing-credentials',
    hint: 'Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run "modal token new" (it writes ~/.modal.toml); or choose another terminal.backend: docker, singularity, daytona, ssh.',
    cause,
  });
}
