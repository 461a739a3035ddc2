import { join } from 'node:path';
import type { ServiceName } from '../../packages/testing-services/src/services/service-description.ts';
import type { RecordedServices } from '../../packages/testing-services/src/services/services-file.ts';
import { bringUpApptainer } from './apptainer.ts';
import { cacheFolder, openArtefactCache } from './artefact-cache.ts';
import { createDebianPackages } from './debian-packages.ts';
import { bringUpDocker } from './docker.ts';
import { bringUpPodman } from './podman.ts';
import type { ServiceContext } from './service-context.ts';
import { readRecord, writeRecord } from './services-record.ts';
import { bringUpSsh } from './ssh.ts';
import { StepError } from './step-error.ts';

/** Brings services up side by side, tells how it went, and gives whether all of them are up. */
export async function bringUpServices(checkout: string, names: readonly ServiceName[]): Promise<boolean> {
  const cache = await openArtefactCache(cacheFolder(process.env));
  const packages = createDebianPackages();
  const recorded = await readRecord(checkout);
  const outcomes = await Promise.all(
    names.map(async (name) => {
      const startedAt = performance.now();
      const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1);
      const tell = (text: string): void => console.log(`${name}: ${text}`);
      const context = { folder: join(checkout, '.services', name), cache, packages, tell };
      try {
        const services = await bringUp(name, context, recorded);
        return { name, services, line: `${name} is up (${seconds()} s)` };
      } catch (error) {
        return { name, line: `${name} is NOT up (${seconds()} s): ${inWords(error)}` };
      }
    }),
  );
  const untouched = Object.entries(await readRecord(checkout)).filter(([name]) => !names.some((own) => own === name));
  await writeRecord(
    checkout,
    Object.assign({}, Object.fromEntries(untouched), ...outcomes.map((each) => each.services)),
  );
  for (const { line } of outcomes) console.log(line);
  return outcomes.every((outcome) => outcome.services !== undefined);
}

async function bringUp(
  name: ServiceName,
  context: ServiceContext,
  recorded: RecordedServices,
): Promise<RecordedServices> {
  switch (name) {
    case 'docker':
      return { docker: await bringUpDocker(context) };
    case 'podman':
      return { podman: await bringUpPodman(context) };
    case 'ssh':
      return { ssh: await bringUpSsh(context, recorded.ssh) };
    case 'apptainer':
      return { apptainer: await bringUpApptainer(context) };
  }
}

function inWords(error: unknown): string {
  if (error instanceof StepError) return `${error.message}\n  ${error.hint}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
