// Checks what somebody who publishes tools does: examples/tool-package is copied out of this repository, installed beside the
// packed packages, packed itself, and its tarball installed into another project, where the program lists its tool and a
// rollout calls it.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { NodeProgram } from './node-programs.ts';

/** What {@link checkToolPackage} needs. */
export interface ToolPackageCheck {
  /** Of this repository. */
  readonly root: string;
  /** A folder to work in. */
  readonly work: string;
  /** Of every public package, by its name. */
  readonly tarballs: ReadonlyMap<string, string>;
  readonly nodes: readonly NodeProgram[];
}

const packageName = '@acme/talaria-dice';

/** What the rollout prints: the scripted model asks once, and the tool answers. */
const rolloutProgram = `
import { runAgentLoop } from '@talaria/agent-loop';
import { scriptedModel } from '@talaria/model-client/testing';
import { createFakeSandbox } from '@talaria/terminal-backends/testing';
import { createBuiltinRegistry, createToolDispatcher } from '@talaria/tools';
import { tools as dice } from '${packageName}';

const tools = createToolDispatcher({
  view: createBuiltinRegistry(dice).view({ enabled: ['dice'] }),
  sandbox: async () => createFakeSandbox(),
  taskId: 'task',
  rolloutId: 'rollout',
});
const model = scriptedModel([
  { toolCalls: [{ name: 'roll_dice', arguments: { count: 2, seed: 7 } }] },
  { content: 'done' },
]);
const result = await runAgentLoop([{ role: 'user', content: 'Roll two dice.' }], { model, tools });
await tools[Symbol.asyncDispose]();
console.log(result.stopReason, result.messages.find(({ role }) => role === 'tool').content);
`;
const rolloutOutput = 'completed {"dice":[2,2],"total":4}';

/** @throws whatever is wrong, with the output of the program that found it */
export async function checkToolPackage(check: ToolPackageCheck): Promise<void> {
  const tarball = await packExample(check);
  const project = join(check.work, 'dice-user');
  const names = [
    '@talaria/cli',
    '@talaria/agent-loop',
    '@talaria/model-client',
    '@talaria/terminal-backends',
    '@talaria/tools',
  ];
  await install(project, check, names, { [packageName]: `file:${tarball}` });
  writeFileSync(join(project, 'rollout.mjs'), rolloutProgram);
  for (const { version, file } of check.nodes) {
    await expectListed(project, file, version);
    const { stdout } = await execa(file, ['rollout.mjs'], { cwd: project, all: true, timeout: 120_000 });
    if (stdout !== rolloutOutput) throw new Error(`On Node ${version} the rollout printed:\n${stdout}`);
  }
}

/** Compiles and packs the example where nothing of this repository is in reach. */
async function packExample(check: ToolPackageCheck): Promise<string> {
  const folder = join(check.work, 'dice');
  for (const part of ['src', 'package.json', 'tsconfig.json', 'README.md']) {
    cpSync(join(check.root, 'examples', 'tool-package', part), join(folder, part), { recursive: true });
  }
  const files = [...check.tarballs.values()].filter((file) => isNeeded(file));
  const more = ['typescript@7.0.2', '@types/node@22.20.7'];
  const flags = ['--no-save', '--no-audit', '--no-fund', '--prefer-offline'];
  await execa('npm', ['install', ...flags, ...files, ...more], { cwd: folder, all: true, timeout: 300_000 });
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', check.work], {
    cwd: folder,
    all: true,
  });
  const packed = JSON.parse(stdout.slice(stdout.indexOf('['))) as readonly { readonly filename: string }[];
  const [first] = packed;
  if (first === undefined) throw new Error(`npm pack printed:\n${stdout}`);
  return join(check.work, first.filename);
}

/** The package that the example imports, and those below it. */
function isNeeded(file: string): boolean {
  return /talaria-(?:core|terminal-backends|tools)-\d/.test(file);
}

async function install(
  folder: string,
  { tarballs }: ToolPackageCheck,
  names: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const all = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
  const wanted = Object.fromEntries(names.map((name) => [name, all[name]]));
  const manifest = {
    name: 'dice-user',
    private: true,
    type: 'module',
    dependencies: { ...wanted, ...more },
    overrides: Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name))),
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  await execa('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    all: true,
    timeout: 300_000,
  });
}

async function expectListed(project: string, node: string, version: string): Promise<void> {
  const program = join('node_modules', '@talaria', 'cli', 'dist', 'main.js');
  const args = [program, 'tools', 'list', '--tools.packages', JSON.stringify([packageName]), '--json'];
  const { stdout } = await execa(node, args, { cwd: project, all: true, timeout: 120_000 });
  const listed = JSON.parse(stdout) as {
    readonly tools: readonly { name: string; toolset: string; available: boolean }[];
  };
  const dice = listed.tools.find(({ name }) => name === 'roll_dice');
  if (dice?.toolset === 'dice' && dice.available) return;
  throw new Error(`On Node ${version} talaria tools list does not offer roll_dice:\n${stdout}`);
}
