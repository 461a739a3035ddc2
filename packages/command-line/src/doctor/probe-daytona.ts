import type { TerminalConfig } from '@talaria/environments';
import type { Host } from '../host.ts';
import { type BackendFinding, missing, usable } from './backend-probe.ts';
import type { FindPeerPackage } from './find-package.ts';
import { judgePackage } from './judge-package.ts';

/** Looks for the package and for a key. The service is not asked. */
export async function probeDaytona(
  host: Host,
  { daytona }: TerminalConfig,
  findPeer: FindPeerPackage,
): Promise<BackendFinding> {
  const found = await findPeer('@daytona/sdk');
  const fault = judgePackage(found);
  if (fault !== null) return fault;
  const version = `@daytona/sdk ${found.version}`;
  if (daytona.api_key !== null) return usable(version, 'sandboxes at daytona.io; DAYTONA_API_KEY is set');
  const hasToken = ['DAYTONA_JWT_TOKEN', 'DAYTONA_ORGANIZATION_ID'].every(
    (name) => (host.variables[name] ?? '') !== '',
  );
  if (hasToken) return usable(version, 'sandboxes at daytona.io; DAYTONA_JWT_TOKEN is set');
  return missing(
    `${version} is installed; there is no key`,
    'Make one at https://app.daytona.io/dashboard/keys and set DAYTONA_API_KEY',
  );
}
