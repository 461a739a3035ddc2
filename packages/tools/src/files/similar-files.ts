import { posix } from 'node:path';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { isNotFound } from '../sandbox-failure.ts';

/** What to offer where nothing is at a path. */
export interface Alternatives {
  /** One sentence: what is missing and where the path still exists. */
  readonly message: string;
  /** Full paths of files with like names, best first, at most five. */
  readonly similarFiles: readonly string[];
}

/** Looks for what may have been meant by a path at which nothing is. */
export async function findAlternatives(
  path: string,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<Alternatives> {
  const folder = posix.dirname(path);
  try {
    const entries = await sandbox.list(folder, { signal });
    const wanted = posix.basename(path);
    // An entry of this very name is a link to nothing.
    const isLink = entries.some(({ name }) => name === wanted);
    const names = entries.map(({ name }) => name).filter((name) => name !== wanted);
    const similarFiles = rankSimilarNames(wanted, names).map((name) => posix.join(folder, name));
    return { message: isLink ? `${path} is a link to nothing.` : `Nothing is at ${path}.`, similarFiles };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const ancestor = await nearestAncestor(folder, sandbox, signal);
    return {
      message: `Nothing is at ${path}: the folder ${folder} does not exist, but ${ancestor} does.`,
      similarFiles: [],
    };
  }
}

async function nearestAncestor(folder: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<string> {
  let ancestor = posix.dirname(folder);
  while (ancestor !== '/' && (await sandbox.stat(ancestor, { signal }))?.kind !== 'directory') {
    ancestor = posix.dirname(ancestor);
  }
  return ancestor;
}

/** The names that are most like `wanted`, best first, at most five. */
export function rankSimilarNames(wanted: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ name, score: similarity(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, 5)
    .map(({ name }) => name);
}

function similarity(wanted: string, name: string): number {
  if (wanted === name) return 100;
  const wantedPath = posix.parse(wanted);
  const path = posix.parse(name);
  if (wantedPath.name === path.name) return 90;
  if (name.startsWith(wanted) || wanted.startsWith(name)) return 70;
  if (name.includes(wanted)) return 60;
  if (name.length > 2 && wanted.includes(name)) return 40;
  return wantedPath.ext === path.ext && sharedShare(wantedPath.name, path.name) >= 0.4 ? 30 : 0;
}

/** Share of different characters that both have. */
function sharedShare(left: string, right: string): number {
  const leftCharacters = new Set(left);
  const rightCharacters = new Set(right);
  const shared = [...leftCharacters].filter((character) => rightCharacters.has(character)).length;
  return shared / Math.max(1, new Set(left + right).size);
}
