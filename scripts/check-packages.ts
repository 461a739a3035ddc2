// Checks what npm users get. Every public package is packed; publint and attw judge the tarball; then it is installed
// into an empty project, type-checked there under `nodenext` and `bundler`, and loaded on every Node from the oldest that
// its `engines` name to the running one. Where a package brings `test/check-packed.ts`, that program runs there too, and
// must print the same on each. At last a package of tools is packed and used, as others publish them.
// Needs built packages (`turbo run build`) and the npm registry (or its cache) for third-party dependencies.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { checkToolPackage } from './check-tool-package.ts';
import { installNodes, isOlder, type NodeProgram, oldestNode } from './node-programs.ts';
import { readWorkspace, type WorkspacePackage } from './workspace.ts';

const root = process.cwd();
const packages = readWorkspace(root);
const published = packages.filter((entry) => !entry.isPrivate);
const work = await mkdtemp(join(tmpdir(), 'talaria-packages-'));
const tarballs = new Map<string, string>();
const faults: string[] = [];

async function attempt(title: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const detail = typeof error === 'object' && error !== null && 'all' in error ? String(error.all) : String(error);
    faults.push(`${title}\n${detail}`);
    console.error(`FAILED  ${title}\n${detail}`);
  }
}

/** Runs a program; its output becomes the message if it fails. */
function run(cwd: string, file: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  return execa(file, args, { cwd, all: true, timeout: 300_000 });
}

async function pack(entry: WorkspacePackage): Promise<void> {
  const { stdout } = await execa('pnpm', ['pack', '--json', '--pack-destination', work, '--ignore-scripts'], {
    cwd: join(root, entry.folder),
  });
  const { filename } = JSON.parse(stdout) as { filename: string };
  const tarball = resolve(work, filename);
  if (!existsSync(tarball)) throw new Error(`pnpm pack named ${filename}, which does not exist`);
  tarballs.set(entry.name, tarball);
}

/** A package and every workspace package below it. */
function withDependencies(entry: WorkspacePackage, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(entry.name)) return seen;
  seen.add(entry.name);
  for (const name of entry.dependencies) {
    const dependency = packages.find((candidate) => candidate.name === name);
    if (dependency !== undefined) withDependencies(dependency, seen);
  }
  return seen;
}

function entrySpecifiers(entry: WorkspacePackage): string[] {
  return entry.entryPoints.map((point) => `${entry.name}${point.slice(1)}`);
}

function writeConsumer(folder: string, entry: WorkspacePackage): void {
  mkdirSync(folder, { recursive: true });
  const files = Object.fromEntries([...withDependencies(entry)].map((name) => [name, `file:${tarballs.get(name)}`]));
  const own = JSON.parse(readFileSync(join(root, entry.folder, 'package.json'), 'utf8')) as {
    peerDependencies?: object;
  };
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: { [entry.name]: files[entry.name], ...own.peerDependencies },
    devDependencies: { typescript: '7.0.2', '@types/node': '22.20.7' },
    overrides: Object.fromEntries(Object.entries(files).filter(([name]) => name !== entry.name)),
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  const names = entrySpecifiers(entry).map((specifier, index) => ({ specifier, name: `entry${index}` }));
  const imports = names.map(({ specifier, name }) => `import * as ${name} from '${specifier}';`).join('\n');
  writeFileSync(
    join(folder, 'index.ts'),
    `${imports}\nexport const entries = [${names.map(({ name }) => name).join(', ')}];\n`,
  );
  writeFileSync(
    join(folder, 'load.mjs'),
    `for (const name of ${JSON.stringify(entrySpecifiers(entry))}) {\n  const entry = await import(name);\n  console.log(name, Object.keys(entry).length, process.version);\n}\n`,
  );
  for (const [kind, module] of [
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ]) {
    writeFileSync(
      join(folder, `tsconfig.${kind}.json`),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          target: 'es2024',
          lib: ['es2024', 'esnext.disposable', 'dom'],
          types: ['node'],
          module,
          moduleResolution: kind,
        },
        files: ['index.ts'],
      }),
    );
  }
}

async function consume(entry: WorkspacePackage, nodes: readonly NodeProgram[]): Promise<void> {
  const folder = join(work, `consumer-${entry.folder.replace('/', '-')}`);
  if (entry.entryPoints.length === 0) {
    await consumeProgram(folder, entry, nodes);
    return;
  }
  writeConsumer(folder, entry);
  await attempt(`${entry.name}: install`, () =>
    run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']),
  );
  for (const kind of ['nodenext', 'bundler']) {
    await attempt(`${entry.name}: types under ${kind}`, () =>
      run(folder, 'node_modules/.bin/tsc', ['-p', `tsconfig.${kind}.json`]),
    );
  }
  for (const { version, file } of nodes) {
    await attempt(`${entry.name}: load on Node ${version}`, () => run(folder, file, ['load.mjs']));
  }
  const program = join(root, entry.folder, 'test', 'check-packed.ts');
  if (existsSync(program)) {
    await attempt(`${entry.name}: what test/check-packed.ts checks`, () => checkPacked(folder, entry, program, nodes));
  }
}

/** Runs the package's own check of what was installed: on each Node it must end well and print the same. */
async function checkPacked(
  folder: string,
  entry: WorkspacePackage,
  program: string,
  nodes: readonly NodeProgram[],
): Promise<void> {
  await build({
    entryPoints: [program],
    outfile: join(folder, 'check-packed.mjs'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
  const outputs = new Map<string, string[]>();
  for (const { version, file } of nodes) {
    const { stdout } = await run(folder, file, ['check-packed.mjs', join(root, entry.folder)]);
    if (stdout === '') throw new Error(`It printed nothing on Node ${version}`);
    outputs.set(stdout, [...(outputs.get(stdout) ?? []), version]);
  }
  if (outputs.size > 1) {
    throw new Error([...outputs].map(([stdout, versions]) => `On Node ${versions}:\n${stdout}`).join('\n'));
  }
  console.log(`${entry.name}: test/check-packed.ts printed the same on Node ${nodes.map((node) => node.version)}.`);
}

/** A package without entry points is a program: its --help must work. */
async function consumeProgram(folder: string, entry: WorkspacePackage, nodes: readonly NodeProgram[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const files = Object.fromEntries([...withDependencies(entry)].map((name) => [name, `file:${tarballs.get(name)}`]));
  const { [entry.name]: own, ...others } = files;
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies: { [entry.name]: own },
      overrides: others,
    }),
  );
  await attempt(`${entry.name}: install`, () =>
    run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']),
  );
  const manifest = JSON.parse(readFileSync(join(root, entry.folder, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  for (const program of Object.values(manifest.bin)) {
    for (const { version, file } of nodes) {
      await attempt(`${entry.name}: ${program} --help on Node ${version}`, () =>
        run(folder, file, [join('node_modules', entry.name, program), '--help']),
      );
    }
  }
}

/** Two at a time: much of it waits for the registry and the disk. */
async function forEachPackage(action: (entry: WorkspacePackage) => Promise<void>): Promise<void> {
  const queue = [...published];
  const lane = async (): Promise<void> => {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) await action(entry);
  };
  await Promise.all([lane(), lane()]);
}

await forEachPackage((entry) => attempt(`${entry.name}: pack`, () => pack(entry)));
await forEachPackage(async (entry) => {
  const tarball = tarballs.get(entry.name);
  if (tarball === undefined) return;
  await attempt(`${entry.name}: publint`, () => run(root, 'publint', ['run', tarball, '--strict']));
  if (entry.entryPoints.length > 0) {
    await attempt(`${entry.name}: attw`, () =>
      run(root, 'attw', [tarball, '--profile', 'esm-only', '--format', 'ascii']),
    );
  }
});
const nodes = await installNodes(join(work, 'nodes'), new Set(published.map((entry) => oldestNode(root, entry))));
await forEachPackage((entry) =>
  consume(
    entry,
    nodes.filter((node) => !isOlder(node.version, oldestNode(root, entry))),
  ),
);
const oldestForTools = published
  .filter(({ name }) => name === '@talaria/cli' || name === '@talaria/tools')
  .map((entry) => oldestNode(root, entry))
  .reduce((left, right) => (isOlder(left, right) ? right : left));
await attempt('examples/tool-package: packed, installed and used', () =>
  checkToolPackage({ root, work, tarballs, nodes: nodes.filter((node) => !isOlder(node.version, oldestForTools)) }),
);
if (process.argv.includes('--keep')) cpSync(work, '.packages-check', { recursive: true });
await rm(work, { recursive: true, force: true });
console.log(`Packages: ${published.length} checked, ${faults.length} faults.`);
process.exitCode = faults.length === 0 ? 0 : 1;
