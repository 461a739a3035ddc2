import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDescriptionOf, type ServiceDescriptions, type ServiceName, serviceNames } from './service-description.ts';

/** Where `scripts/services.ts` writes what runs, relative to the checkout. */
export const servicesFile = '.services/services.json';

/** Every service that was brought up, whether or not it still runs. */
export type RecordedServices = { readonly [Name in ServiceName]?: ServiceDescriptions[Name] };

/** A services file that was found and read. */
export interface ServicesFile {
  readonly path: string;
  readonly services: RecordedServices;
}

/** The services file of this folder or of the nearest one above it; `undefined` where there is none. */
export async function readServicesFile(folder: string): Promise<ServicesFile | undefined> {
  const path = join(folder, servicesFile);
  const text = await readTextIfThere(path);
  if (text !== undefined) return { path, services: parseServices(path, text) };
  const parent = dirname(folder);
  return parent === folder ? undefined : readServicesFile(parent);
}

/** Reads the text of a services file. What does not describe a service whole, as an older script wrote it, is left out. */
export function parseServices(path: string, text: string): RecordedServices {
  const value = parseJson(path, text);
  if (typeof value !== 'object' || value === null) return {};
  const entries = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    serviceNames.filter((name) => isDescriptionOf(name, entries.get(name))).map((name) => [name, entries.get(name)]),
  );
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON; remove it and run: node scripts/services.ts up`, { cause: error });
  }
}

async function readTextIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
