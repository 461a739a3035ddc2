import type { JsonObject } from '@talaria/core';
import type { DriverName, RunConfig } from './configuration/run-config.ts';
import { imageOf } from './driver/rollout/sandbox-spec.ts';
import type { Environment } from './environment.ts';

/** Which run is asked about. */
export interface KnownImagesRequest<Config> {
  readonly driver: DriverName;
  readonly config: RunConfig<Config>;
  /** As `maxItems` of an evaluation. @default all */
  readonly maxItems?: number | undefined;
}

/**
 * The distinct images that a run will need, as far as that can be told before it begins: those of its items, where they
 * are a list, and that of the configuration, where an item names none. For a preflight.
 */
export function listKnownImages<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  { driver, config, maxItems }: KnownImagesRequest<Config>,
): readonly string[] {
  const count = driver === 'process' ? config.env.total_steps : maxItems;
  const items = listItems(environment, driver)?.slice(0, count);
  const images = items === undefined || items.length === 0 ? [undefined] : items.map(imageOf);
  return [...new Set(images.map((image) => image ?? config.terminal.image))].filter((image) => image !== null);
}

/** The items of a run, where the environment holds them in a list. */
function listItems<Item extends JsonObject, Config>(
  { items, getNextItem, evalItems }: Environment<Item, Config>,
  driver: DriverName,
): readonly Item[] | undefined {
  if (driver === 'process' && getNextItem !== undefined) return undefined;
  const source = driver === 'process' ? items : (evalItems ?? items);
  return Array.isArray(source) ? source : undefined;
}
