import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TerminalConfig } from '@talaria/environments';
import type { Host } from '../host.ts';
import { type BackendFinding, broken, missing, usable } from './backend-probe.ts';
import type { FindPeerPackage } from './find-package.ts';
import { judgePackage } from './judge-package.ts';

/** Of the package that had the name before. */
const otherVersion = '1.2.0';

/** Looks for the package, which shares its name with another one, and for credentials. The service is not asked. */
export async function probeModal(
  host: Host,
  { modal }: TerminalConfig,
  findPeer: FindPeerPackage,
): Promise<BackendFinding> {
  const found = await findPeer('modal');
  if (found.version === otherVersion) {
    return broken(
      `modal ${found.version} is another package: a dialogue for web pages`,
      `npm install modal@${found.range}`,
    );
  }
  const fault = judgePackage(found);
  if (fault !== null) return fault;
  const version = `modal ${found.version}`;
  const place = findCredentials(host, modal.token_id !== null, modal.token_secret !== null);
  if (place !== null) return usable(version, `sandboxes at modal.com; credentials from ${place}`);
  return missing(
    `${version} is installed; there are no credentials`,
    'modal token new, or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET',
  );
}

function findCredentials(host: Host, hasId: boolean, hasSecret: boolean): string | null {
  if (hasId && hasSecret) return 'MODAL_TOKEN_ID and MODAL_TOKEN_SECRET';
  if ((host.variables['MODAL_OAUTH_REFRESH_TOKEN'] ?? '') !== '') return 'MODAL_OAUTH_REFRESH_TOKEN';
  const profile = host.variables['MODAL_CONFIG_PATH'] || join(host.homeFolder, '.modal.toml');
  return existsSync(profile) ? profile : null;
}
