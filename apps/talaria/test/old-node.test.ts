import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execa } from 'execa';

/** The Node of the system, where it is older than what Talaria needs. */
const systemNode = '/usr/bin/node';
const { stdout: version = '' } = await execa(systemNode, ['--version'], { reject: false });
const isOld = Number(/^v(\d+)\./.exec(version)?.[1] ?? 99) < 22;
const testOnOldNode = isOld ? test : test.skip;
const reason = isOld ? '' : ` (skipped: ${systemNode} is ${version === '' ? 'absent' : version}, which is not old)`;

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-old-node-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

/** Writes a source file without its types, as a build would. */
async function strip(source: string, target: string): Promise<void> {
  const text = await readFile(new URL(source, import.meta.url), 'utf8');
  await writeFile(join(cwd, target), stripTypeScriptTypes(text));
}

testOnOldNode.each(['talaria', 'terminal-test'])(
  `an old Node is told what %s needs, and nothing else is loaded${reason}`,
  async (app) => {
    const packageFolder = join('node_modules', '@talaria', 'command-line');
    await mkdir(join(cwd, packageFolder), { recursive: true });
    await cp(
      new URL('../../../packages/command-line/package.json', import.meta.url),
      join(cwd, packageFolder, 'package.json'),
    );
    await mkdir(join(cwd, packageFolder, 'dist'));
    await strip('../../../packages/command-line/src/node-version.ts', join(packageFolder, 'dist', 'node-version.js'));
    await strip(`../../${app}/src/main.ts`, 'main.mjs');
    const child = await execa(systemNode, ['main.mjs', 'run', 'terminal-test'], { cwd, reject: false });
    expect([child.exitCode, child.stdout]).toEqual([2, '']);
    expect(child.stderr).toContain(`Talaria needs Node 22.19 or newer; this is ${version.slice(1)}`);
    expect(child.stderr).toContain('npm run talaria');
  },
);
