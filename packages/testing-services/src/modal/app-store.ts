import { createId } from '@talaria/core';
import { CallError } from './call-error.ts';

/** Names an app. */
export interface AppName {
  readonly app_name: string;
  readonly environment_name: string;
}

/** The apps of a double. */
export interface AppStore {
  find(name: AppName): string | undefined;
  /** @throws CallError `NOT_FOUND` where it is missing and not to be created */
  getOrCreate(name: AppName, mayCreate: boolean): string;
}

/** Creates an empty store. */
export function createAppStore(): AppStore {
  const ids = new Map<string, string>();
  const keyOf = (name: AppName): string => `${name.environment_name}/${name.app_name}`;
  return {
    find: (name) => ids.get(keyOf(name)),
    getOrCreate(name, mayCreate) {
      const known = ids.get(keyOf(name));
      if (known !== undefined) return known;
      if (!mayCreate) throw new CallError('NOT_FOUND', `App '${name.app_name}' not found`);
      const id = createId('ap').replace('_', '-');
      ids.set(keyOf(name), id);
      return id;
    },
  };
}
