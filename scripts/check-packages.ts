// Checks what npm users get. Every public package is packed; publint and attw judge the tarball; then it is installed
// into an empty project, type-checked there under `nodenext` and `bundler`, and loaded on Node 22.19 and Node 24.
// Needs built packages (`turbo run build`) and the npm registry (or its cache) for third-party dependencies.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { readWorkspace, type WorkspacePackage } from './workspace.ts';

const oldestNode = '22.19.0';
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
function run(cwd: string, file: string, args: readonly string[]): Promise<unknown> {
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

async function consume(entry: WorkspacePackage, oldNode: string): Promise<void> {
  const folder = join(work, `consumer-${entry.folder.replace('/', '-')}`);
  if (entry.entryPoints.length === 0) {
    await consumeProgram(folder, entry, oldNode);
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
  for (const node of [oldNode, process.execPath]) {
    await attempt(`${entry.name}: load on ${node}`, () => run(folder, node, ['load.mjs']));
  }
}

/** A package without entry points is a program: its --help must work. */
async function consumeProgram(folder: string, entry: WorkspacePackage, oldNode: string): Promise<void> {
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
    for (const node of [oldNode, process.execPath]) {
      await attempt(`${entry.name}: ${program} --help on ${node}`, () =>
        run(folder, node, [join('node_modules', entry.name, program), '--help']),
      );
    }
  }
}

async function installOldNode(): Promise<string> {
  const folder = join(work, 'old-node');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run(folder, 'npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    `node-${process.platform}-${process.arch}@${oldestNode}`,
  ]);
  return join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
}

for (const entry of published) await attempt(`${entry.name}: pack`, () => pack(entry));
for (const entry of published) {
  const tarball = tarballs.get(entry.name);
  if (tarball === undefined) continue;
  await attempt(`${entry.name}: publint`, () => run(root, 'publint', ['run', tarball, '--strict']));
  if (entry.entryPoints.length > 0) {
    await attempt(`${entry.name}: attw`, () =>
      run(root, 'attw', [tarball, '--profile', 'esm-only', '--format', 'ascii']),
    );
  }
}
const oldNode = await installOldNode();
for (const entry of published) await consume(entry, oldNode);
if (process.argv.includes('--keep')) cpSync(work, '.packages-check', { recursive: true });
await rm(work, { recursive: true, force: true });
console.log(`Packages: ${published.length} checked, ${faults.length} faults.`);
process.exitCode = faults.length === 0 ? 0 : 1;
