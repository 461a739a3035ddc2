import { volumePattern } from '@talaria/environments';
import type { Host } from '../host.ts';
import { hostPath } from './shared-options.ts';

/** An entry of a list of volumes: `SOURCE:/TARGET[:ro]`. */
export interface HostVolume {
  /** Absolute, where it is a path of this machine; else a name. */
  readonly source: string;
  readonly isPath: boolean;
  readonly target: string;
  readonly isReadOnly: boolean;
}

/** Takes one apart. A source with a slash, or one that starts with a dot or a tilde, is a path of this machine. */
export function readVolume(volume: string, host: Host): HostVolume {
  const [, source = '', target = '', mode] = volumePattern.exec(volume) ?? [];
  const isPath = /^[.~]|\//u.test(source);
  return { source: isPath ? (hostPath(host, source) ?? source) : source, isPath, target, isReadOnly: mode === 'ro' };
}
