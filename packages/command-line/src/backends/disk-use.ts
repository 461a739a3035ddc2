import type { Host } from '../host.ts';

/** A large folder on a slow disk must not hold up a run. */
const timeoutMs = 10_000;
const bytesPerKiB = 1_024;
const bytesPerGigabyte = 1e9;

/** Gigabytes that some folders take together; `null` where that cannot be told soon. */
export async function measureFolders(host: Host, folders: readonly string[]): Promise<number | null> {
  const { execa } = await import('execa');
  const result = await execa('du', ['-skx', '--', ...folders], {
    env: host.variables,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: timeoutMs,
  });
  // A folder that is not there yet, or not to be read in part, makes it fail after it told of the others.
  if (result.timedOut || result.code !== undefined) return null;
  const sizes = result.stdout.split('\n').map((line) => Number.parseInt(line, 10));
  const totalKiB = sizes.reduce((total, size) => total + (Number.isNaN(size) ? 0 : size), 0);
  return (totalKiB * bytesPerKiB) / bytesPerGigabyte;
}
