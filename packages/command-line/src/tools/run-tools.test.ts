import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFakeHost } from '../../test/fake-host.ts';
import { runProgram } from '../run-program.ts';

let folder: string;

const diceModule = `
export const tools = [
  {
    definition: { type: 'function', function: { name: 'roll_dice', description: 'Roll dice. Fairly.', parameters: { type: 'object', properties: {} } } },
    toolset: 'games',
    isParallelSafe: true,
    sideEffect: 'none',
    execute: async () => ({ rolled: 4 }),
  },
];
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-tools-'));
  await writeFile(join(folder, 'dice.mjs'), diceModule);
  await writeFile(
    join(folder, 'made.mjs'),
    `import { tools } from './dice.mjs';\nexport const createTools = async () => tools;\n`,
  );
  await writeFile(join(folder, 'none.mjs'), 'export const nothing = 1;\n');
  await writeFile(
    join(folder, 'broken.mjs'),
    `export const createTools = () => { throw new Error('no dice left'); };\n`,
  );
  await writeFile(join(folder, 'corpus.json'), JSON.stringify({ pages: [] }));
});

afterAll(() => rm(folder, { recursive: true }));

async function run(argv: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const host = createFakeHost({ argv, cwd: folder, homeFolder: folder, variables });
  const importing = { ...host, importModule: (specifier: string) => import(specifier) };
  const exitCode = await runProgram(importing, {
    builtins: {},
    manifestUrl: new URL('../../package.json', import.meta.url),
  });
  expect(host.handlerCount).toBe(0);
  return { exitCode, stdout: host.stdout.text, stderr: host.stderr.text };
}

describe('talaria tools list', () => {
  test('names tools and toolsets, and says which are here', async () => {
    const { exitCode, stdout, stderr } = await run(['tools', 'list']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^terminal +terminal +yes +Run a bash command\./m);
    expect(stdout).toMatch(/^web_search +web +no +Search the web\./m);
    expect(stdout).toMatch(/^debugging +patch, process, read_file/m);
    expect(stdout).not.toMatch(/^hermes-cli/m);
  });

  test('as JSON tells everything, of the toolsets that are named', async () => {
    const { exitCode, stdout } = await run(['tools', 'list', 'terminal', '--json'], {
      TAVILY_API_KEY: 'tvly-1234567890',
    });
    const report = JSON.parse(stdout);
    expect([exitCode, report.exit_code, report.reason]).toEqual([0, 0, 'done']);
    expect(report.tools.map((tool: { name: string }) => tool.name)).toEqual(['process', 'terminal']);
    expect(report.toolsets['hermes-cli']).toContain('terminal');
    expect(stdout).not.toContain('tvly-');
  });

  test.each(['./dice.mjs', './made.mjs'])('has the tools of %s', async (target) => {
    const { stdout } = await run(['tools', 'list', 'games', '--tools.packages', target]);
    expect(stdout).toMatch(/^roll_dice +games +yes +Roll dice\.$/m);
  });

  test.each([
    ['./none.mjs', 2, 'exports no tools'],
    ['./missing.mjs', 2, 'cannot be loaded'],
    ['./broken.mjs', 1, 'createTools of ./broken.mjs failed: no dice left'],
  ])('tells that %s gives no tools', async (target, exitCode, message) => {
    const outcome = await run(['tools', 'list', '--tools.packages', target]);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).toContain(message);
  });
});

describe('talaria tools show', () => {
  test('says what the model is told', async () => {
    const { exitCode, stdout } = await run(['tools', 'show', 'read_file']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^read_file \(toolset file, parallel-safe, changes: none\)$/m);
    expect(stdout).toMatch(/^ {2}limit \(integer, optional, minimum: 1, maximum: 2000, default: 500\)$/m);
  });

  test('of a toolset shows all, as the definitions of the wire with --json', async () => {
    const { stdout } = await run(['tools', 'show', 'file', '--json']);
    const names = JSON.parse(stdout).tools.map((entry: { function: { name: string } }) => entry.function.name);
    expect(names).toEqual(['patch', 'read_file', 'search_files', 'write_file']);
  });

  test('knows the nearest name', async () => {
    const { exitCode, stderr } = await run(['tools', 'show', 'read_fil']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean read_file?');
  });
});

describe('talaria tools doctor', () => {
  test('says what is missing, which is no failure where nobody asked for it', async () => {
    const { exitCode, stdout } = await run(['tools', 'doctor', 'web']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^missing {2}web_search: no web provider is set up/m);
  });

  test('fails where something that is configured cannot be offered', async () => {
    const { exitCode, stdout } = await run(['tools', 'doctor', 'web', '--web.backend', 'fetch']);
    expect(stdout).toMatch(/^ok +web_extract$/m);
    expect(stdout).toMatch(/^missing +web_search: /m);
    expect(exitCode).toBe(1);
  });

  test('names the variable that a provider needs', async () => {
    const { exitCode, stdout } = await run(['tools', 'doctor', '--web.backend', 'tavily']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^missing {2}web_search: .*TAVILY_API_KEY/m);
  });

  const server = ['--tools.mcp_servers', '{"birds":{"command":"nosuch"}}'];

  test.each<[string, readonly string[], RegExp]>([
    [
      'a corpus that is not there',
      ['--web.fixture', 'gone.json'],
      /^missing {2}web_search: There is no corpus at .*web\.fixture/m,
    ],
    [
      'a corpus that nobody named',
      ['--web.backend', 'fixture'],
      /^missing {2}web_extract: .*web\.fixture names no file/m,
    ],
    [
      'pages that nobody named',
      ['--browser.driver', 'fixture'],
      /^missing {2}browser_click: .*browser\.fixture names no file/m,
    ],
    [
      'a model without its key',
      ['--tools.vision_model', 'openai/gpt-4.1-mini'],
      /^missing {2}vision_analyze: .*OPENAI_API_KEY/m,
    ],
    [
      'a summarizer without its key',
      ['--web.summarizer', 'openai/gpt-4.1-mini'],
      /^missing {2}web_extract: .*OPENAI_API_KEY/m,
    ],
    ['a server that does not start', server, /^missing {2}MCP server birds: .*nosuch/m],
    ['a package that does not load', ['--tools.packages', './missing.mjs'], /^missing {2}package \.\/missing\.mjs: /m],
    [
      'a package that fails',
      ['--tools.packages', './broken.mjs'],
      /^missing {2}package \.\/broken\.mjs: .*no dice left/m,
    ],
  ])('tells %s beside the others', async (_what, flags, line) => {
    const { exitCode, stdout, stderr } = await run(['tools', 'doctor', ...flags]);
    expect(stdout).toMatch(line);
    expect(stdout).toMatch(/^ok +terminal$/m);
    expect([exitCode, stderr]).toEqual([1, '']);
  });

  test('tells all that is broken at once, as JSON too', async () => {
    const flags = ['--web.fixture', 'gone.json', '--tools.packages', './missing.mjs', ...server];
    const { exitCode, stdout } = await run(['tools', 'doctor', '--json', ...flags]);
    const { tools, faults } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    expect(tools.find((tool: { name: string }) => tool.name === 'web_search').reason).toContain('no corpus');
    expect(faults.map(({ kind, name }: { kind: string; name: string }) => [kind, name])).toEqual([
      ['server', 'birds'],
      ['package', './missing.mjs'],
    ]);
  });

  test.each<[readonly string[], number]>([
    [['terminal'], 0],
    [['birds'], 1],
    [['all'], 1],
    [['browser_vision'], 1],
  ])('of %j fails only for what is asked for', async (names, expected) => {
    expect((await run(['tools', 'doctor', ...names, ...server])).exitCode).toBe(expected);
  });

  test('tells that a browser lacks a model that looks at pages, which is no failure', async () => {
    await writeFile(join(folder, 'site.json'), '{"https://a.test/": "<title>A</title>"}');
    const { exitCode, stdout } = await run([
      'tools',
      'doctor',
      '--browser.driver',
      'fixture',
      '--browser.fixture',
      'site.json',
    ]);
    expect(stdout).toMatch(/^ok +browser_click$/m);
    expect(stdout).toMatch(/^missing +browser_vision: /m);
    expect(exitCode).toBe(0);
  });

  test('names the settings that would offer a tool', async () => {
    const { stdout } = await run(['tools', 'doctor']);
    expect(stdout).toMatch(/^missing {2}browser_click: no browser is configured: set browser\.driver$/m);
    expect(stdout).toMatch(/^missing {2}vision_analyze: .*: set tools\.vision_model$/m);
    expect(stdout).toMatch(/^missing {2}image_generate: .*: set tools\.image_model$/m);
    expect(stdout).toMatch(/^missing {2}mixture_of_agents: .*: set tools\.mixture_models$/m);
  });

  test('names the page of a corpus that lacks something', async () => {
    await writeFile(join(folder, 'thin.json'), '{"pages": [{"url": "https://a.test/"}]}');
    const { stdout } = await run(['tools', 'doctor', 'web', '--web.fixture', 'thin.json']);
    expect(stdout).toMatch(
      /^missing {2}web_search: The corpus \S+thin\.json cannot be used: pages\.0\.content: [^{}[\]]+\. Correct the file that web\.fixture/m,
    );
  });

  test('tells of a package that is not installed in one sentence', async () => {
    const requireStack = "Cannot find module 'nosuch-dice'\nRequire stack:\n- /somewhere/package.json";
    const host = createFakeHost({
      argv: ['tools', 'doctor', 'games', '--tools.packages', 'nosuch-dice'],
      cwd: folder,
      homeFolder: folder,
      modules: { 'nosuch-dice': Object.assign(new Error(requireStack), { code: 'MODULE_NOT_FOUND' }) },
    });
    const manifestUrl = new URL('../../package.json', import.meta.url);
    expect(await runProgram(host, { builtins: {}, manifestUrl })).toBe(1);
    expect(host.stdout.text).toMatch(/cannot be loaded: Cannot find module 'nosuch-dice'\. Install the package/);
    expect(host.stdout.text).not.toContain('stack');
  });
});

test.each([
  [['tools'], 'Usage: talaria tools list'],
  [['tools', 'lst'], 'Did you mean list?'],
  [['tools', 'show'], 'needs the name of a tool'],
  [['tools', 'list', '--tools.packges', 'x'], 'packages'],
  [['tools', 'list', '--tools.mcp_servers', '{"birds":{"comand":"node"}}'], 'Did you mean command?'],
])('%j is refused with what to do', async (argv, text) => {
  const { exitCode, stderr } = await run(argv);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(text);
});

describe('talaria distributions', () => {
  test('list has a line for each', async () => {
    const { exitCode, stdout } = await run(['distributions', 'list']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^mixed_tasks +browser 92, terminal 92, file 92, web 35, vision 15, image_gen 15 /m);
    expect(JSON.parse((await run(['distributions', 'list', '--json'])).stdout).distributions).toHaveLength(17);
  });

  test('sample gives the same rows for the same seed, from what is here', async () => {
    const argv = ['distributions', 'sample', 'terminal_tasks', '--rows', '3', '--seed', 's'];
    const { exitCode, stdout, stderr } = await run(argv);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^0 +terminal file$/m);
    expect(stdout).toMatch(/^terminal +97 +100\.0$/m);
    expect(stderr).toContain('browser is left out: no browser is configured');
    expect((await run(argv)).stdout).toBe(stdout);
    const rows = (await run([...argv, '--json'])).stdout.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).row)).toEqual(['0', '1', '2']);
  });

  test('sample takes a file of one’s own', async () => {
    await writeFile(join(folder, 'own.yaml'), 'name: own\ntoolsets: {todo: 100, file: 0}\n');
    const { exitCode, stdout } = await run(['distributions', 'sample', 'own.yaml', '--rows', '2']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^0 +todo\n1 +todo$/m);
  });

  test.each([
    [['sample', 'creative'], 'No toolset of the distribution "creative" can be offered here'],
    [['sample', 'balancd'], 'Did you mean balanced?'],
    [['sample'], 'needs the name of a distribution'],
    [['sample', 'missing.yaml'], 'missing.yaml'],
    [['sampel'], 'Did you mean sample?'],
    [['sample', 'balanced', '--rows', '0'], 'rows'],
  ])('%j is refused with what to do', async (argv, text) => {
    const { exitCode, stderr } = await run(['distributions', ...argv]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
  });
});
