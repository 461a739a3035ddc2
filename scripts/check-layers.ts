// Fails where a package imports another that is not on a lower floor, an app is imported, a package is not declared,
// or packages or files form a circle. The floors are the tags in each turbo.json; the picture is docs/architecture.md.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readWorkspace, sourceFiles, type WorkspacePackage } from './workspace.ts';

/** Edges on one floor that the architecture names. */
const namedEdges: readonly (readonly [from: string, to: string])[] = [['@talaria/tools', '@talaria/terminal-backends']];

/** The package whose tests and benchmarks everything may use; sources may not. */
const toolingPackage = '@talaria/testing-services';

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;

/** What a source file imports, types included. */
export function importsOf(text: string): readonly string[] {
  return [...text.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Everything that is wrong with the layers, in words. */
export function findLayerFaults(root: string): readonly string[] {
  const packages = readWorkspace(root);
  const byName = new Map(packages.map((entry) => [entry.name, entry]));
  return packages.flatMap((entry) => [...packageFaults(root, entry, byName), ...fileCircles(root, entry)]);
}

function packageFaults(root: string, from: WorkspacePackage, byName: ReadonlyMap<string, WorkspacePackage>): string[] {
  const faults: string[] = [];
  for (const file of sourceFiles(root, from.folder)) {
    for (const specifier of importsOf(readFileSync(join(root, file), 'utf8'))) {
      if (!specifier.startsWith('@talaria/')) continue;
      const name = specifier.split('/').slice(0, 2).join('/');
      const target = byName.get(name);
      const fault = edgeFault(from, name, target);
      if (fault !== undefined) faults.push(`${file}: imports ${specifier}: ${fault}`);
      if (target !== undefined && !target.entryPoints.includes(`.${specifier.slice(name.length)}`)) {
        faults.push(`${file}: ${specifier} is no entry point of ${name} (${target.entryPoints.join(', ')})`);
      }
    }
  }
  return faults;
}

function edgeFault(from: WorkspacePackage, name: string, to: WorkspacePackage | undefined): string | undefined {
  if (name === from.name) return 'a package imports its own files by relative path';
  if (to === undefined) return 'there is no such package';
  if (!from.dependencies.includes(name)) return `${from.folder}/package.json does not list it under dependencies`;
  if (name === toolingPackage) return 'only tests and benchmarks may use it';
  if (to.folder.startsWith('apps/')) return 'nothing imports an app';
  if (from.floor === null || to.floor === null || to.floor < from.floor) return undefined;
  if (namedEdges.some(([source, target]) => source === from.name && target === name)) return undefined;
  return `it is on floor ${to.floor}, ${from.name} on floor ${from.floor}: imports go downwards only`;
}

/** Circles between the files of one package. */
function fileCircles(root: string, entry: WorkspacePackage): string[] {
  const graph = new Map<string, readonly string[]>();
  for (const file of sourceFiles(root, entry.folder)) {
    const targets = importsOf(readFileSync(join(root, file), 'utf8'))
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => normalize(join(dirname(file), specifier)));
    graph.set(file, targets);
  }
  const faults: string[] = [];
  const done = new Set<string>();
  function visit(file: string, path: readonly string[]): void {
    const at = path.indexOf(file);
    if (at >= 0) {
      faults.push(`circle: ${[...path.slice(at), file].join(' -> ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  }
  for (const file of graph.keys()) visit(file, []);
  return faults;
}

if (process.argv[1] === import.meta.filename) {
  const faults = findLayerFaults(process.cwd());
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? 'Layers: every import goes downwards.' : `Layers: ${faults.length} faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
