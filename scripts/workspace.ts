import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One package of the workspace, as its manifest and its floor tag say. */
export interface WorkspacePackage {
  readonly name: string;
  /** Relative to the root, for example `packages/core`. */
  readonly folder: string;
  /** 0 to 6; `null` for tooling, which anything may use in tests. */
  readonly floor: number | null;
  readonly isPrivate: boolean;
  readonly dependencies: readonly string[];
  readonly entryPoints: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly exports?: Record<string, unknown>;
}

/** Every package under packages/ and apps/, in the order of their folders. */
export function readWorkspace(root: string): readonly WorkspacePackage[] {
  return ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent))
      .filter((name) => existsSync(join(root, parent, name, 'package.json')))
      .map((name) => readPackage(root, `${parent}/${name}`)),
  );
}

function readPackage(root: string, folder: string): WorkspacePackage {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const turbo: { tags?: string[] } = JSON.parse(readFileSync(join(root, folder, 'turbo.json'), 'utf8'));
  const floorTag = turbo.tags?.find((tag) => tag.startsWith('floor:'));
  return {
    name: manifest.name,
    folder,
    floor: floorTag === undefined ? null : Number(floorTag.slice('floor:'.length)),
    isPrivate: manifest.private ?? false,
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    entryPoints: Object.keys(manifest.exports ?? {}).filter((entry) => entry !== './package.json'),
  };
}

/** Sources that are published: no tests, no type tests. Paths are relative to the root. */
export function sourceFiles(root: string, folder: string): readonly string[] {
  return globSync(`${folder}/src/**/*.ts`, { cwd: root })
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
    .sort();
}
