import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { WorkspacePackage } from './workspace.ts';

/** A Node to try packages on. */
export interface NodeProgram {
  readonly version: string;
  readonly file: string;
}

/** The oldest Node that a package supports, as its `engines` say: three numbers. */
export function oldestNode(root: string, entry: WorkspacePackage): string {
  const manifest = JSON.parse(readFileSync(join(root, entry.folder, 'package.json'), 'utf8')) as {
    engines?: { node?: string };
  };
  const [, major, minor = '0', patch = '0'] =
    /^>=(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(manifest.engines?.node ?? '') ?? [];
  if (major === undefined) throw new Error(`${entry.folder}/package.json: engines.node must be ">=" and a version`);
  return `${major}.${minor}.${patch}`;
}

/** Whether a version of Node comes before another. */
export function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}

/** Brings these versions of Node from the npm registry to a folder, and adds the running one. The oldest comes first. */
export async function installNodes(folder: string, versions: ReadonlySet<string>): Promise<readonly NodeProgram[]> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const binary = `node-${process.platform}-${process.arch}`;
  const aliases = [...versions].map((version) => `node-${version}@npm:${binary}@${version}`);
  await execa('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...aliases], {
    cwd: folder,
    all: true,
    timeout: 300_000,
  });
  const installed = [...versions].map((version) => {
    return { version, file: join(folder, 'node_modules', `node-${version}`, 'bin', 'node') };
  });
  return [...installed, { version: process.versions.node, file: process.execPath }].sort((left, right) =>
    isOlder(left.version, right.version) ? -1 : 1,
  );
}
