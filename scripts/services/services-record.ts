import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type RecordedServices,
  readServicesFile,
  servicesFile,
} from '../../packages/testing-services/src/services/services-file.ts';

/** What the services file of this checkout tells of; that of a checkout around this one does not count. */
export async function readRecord(checkout: string): Promise<RecordedServices> {
  const file = await readServicesFile(checkout);
  return file?.path === join(checkout, servicesFile) ? file.services : {};
}

/** Replaces the services file whole, so that a test that reads it at this moment reads the old one or the new. */
export async function writeRecord(checkout: string, services: RecordedServices): Promise<void> {
  const path = join(checkout, servicesFile);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}.part`, `${JSON.stringify(services, null, 2)}\n`);
  await rename(`${path}.${process.pid}.part`, path);
}
