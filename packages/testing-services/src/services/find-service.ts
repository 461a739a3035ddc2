import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { probeService } from './probe-service.ts';
import type { ServiceDescriptions, ServiceName } from './service-description.ts';
import { readServicesFile, servicesFile } from './services-file.ts';

/** A service that answers now, or why tests cannot have it. */
export type FoundService<Name extends ServiceName> =
  | { readonly kind: 'ready'; readonly service: ServiceDescriptions[Name] }
  | { readonly kind: 'absent' /** One line, with what to do. */; readonly reason: string };

/** Where to look. */
export interface FindServiceOptions {
  /** The folder in which, and in those above which, the services file is looked for. @default that of this package */
  readonly folder?: string | undefined;
}

/**
 * Finds a service that `node scripts/services.ts up` brought up for this checkout, and asks it whether it still answers.
 *
 * @throws Error where the services file is no JSON or cannot be read
 */
export async function findService<Name extends ServiceName>(
  name: Name,
  options: FindServiceOptions = {},
): Promise<FoundService<Name>> {
  const file = await readServicesFile(options.folder ?? dirname(fileURLToPath(import.meta.url)));
  const service: ServiceDescriptions[Name] | undefined = file?.services[name];
  if (service === undefined) return absent(name, `${file?.path ?? servicesFile} tells of none`);
  const fault = await probeService(name, service);
  return fault === undefined ? { kind: 'ready', service } : absent(name, fault);
}

function absent(name: ServiceName, fault: string): { readonly kind: 'absent'; readonly reason: string } {
  return { kind: 'absent', reason: `${name} is not there: ${fault}; run: node scripts/services.ts up ${name}` };
}
