import type { ArtefactCache } from './artefact-cache.ts';
import type { DebianPackages } from './debian-packages.ts';

/** What bringing up a service is given. */
export interface ServiceContext {
  /** The service's own folder under `.services`, absolute. */
  readonly folder: string;
  readonly cache: ArtefactCache;
  readonly packages: DebianPackages;
  /** Tells of a step that took long enough to be told of. */
  readonly tell: (text: string) => void;
}

/** Does a step and tells how long it took. */
export async function timed<Result>(
  context: Pick<ServiceContext, 'tell'>,
  title: string,
  step: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  const result = await step();
  context.tell(`${title} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  return result;
}
