import type { Stats } from 'node:fs';
import type { JsonObject } from '@talaria/core';

const permissionLetters = 'rwxrwxrwx';

/** A file as the daemon describes it. */
export function fileInfoJson(name: string, path: string, stats: Stats): JsonObject {
  return {
    name,
    path,
    size: stats.size,
    isDir: stats.isDirectory(),
    mode: modeText(stats),
    permissions: `0${(stats.mode & 0o777).toString(8).padStart(3, '0')}`,
    owner: String(stats.uid),
    group: String(stats.gid),
    modTime: `${stats.mtime.toISOString().replace('T', ' ').replace('Z', '')} +0000 UTC`,
    modifiedAt: stats.mtime.toISOString(),
  };
}

/** The mode as Go writes it, which differs from `ls`. */
function modeText(stats: Stats): string {
  const bits = [...permissionLetters].map((letter, index) => ((stats.mode >> (8 - index)) & 1 ? letter : '-'));
  return `${kindLetters(stats)}${bits.join('')}`;
}

function kindLetters(stats: Stats): string {
  if (stats.isDirectory()) return stats.mode & 0o1000 ? 'dt' : 'd';
  if (stats.isSymbolicLink()) return 'L';
  if (stats.isFIFO()) return 'p';
  if (stats.isSocket()) return 'S';
  if (stats.isCharacterDevice()) return 'Dc';
  return stats.isBlockDevice() ? 'D' : '-';
}
