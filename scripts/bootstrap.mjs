// Sets up a fresh clone on which only Node 20 and npm exist, then does what was asked. No dependencies, on purpose.
//
//   node scripts/bootstrap.mjs setup | quickstart | test [jest arguments…]
//
// It brings pnpm into .toolchain/, installs the locked packages (Node 24 among them) and remembers what it installed, so
// that a second run needs no network.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pnpmVersion = manifest.devEngines.packageManager.version;
const toolchain = join(root, '.toolchain', `pnpm-${pnpmVersion}`);
const pnpmScript = join(toolchain, 'node_modules', 'pnpm', 'bin', 'pnpm.mjs');
const binFolder = join(root, 'node_modules', '.bin');
const stampFile = join(root, 'node_modules', '.talaria-setup');
const environment = {
  ...process.env,
  PATH: [binFolder, join(toolchain, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
};

function fail(message, hint) {
  console.error(`\ntalaria: ${message}\n         ${hint}`);
  process.exit(1);
}

/** Runs a program in the root; its output goes to the terminal, or is kept and shown only if it fails. */
function run(file, args, { isQuiet = false, hint, env = environment }) {
  const result = spawnSync(file, args, {
    cwd: root,
    env,
    stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    encoding: 'utf8',
  });
  if (result.error) fail(`${file} did not start: ${result.error.message}`, hint);
  if (result.signal) process.kill(process.pid, result.signal);
  if (result.status !== 0) {
    if (isQuiet) process.stderr.write(`${result.stdout}${result.stderr}`);
    fail(`${[file, ...args].join(' ')} ended with ${result.status}`, hint);
  }
}

/** What the installation depends on: the lock file and every manifest. */
function installationHash() {
  const hash = createHash('sha256');
  const folders = ['packages', 'apps', 'configs'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const files = [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    ...['examples', ...folders].map((folder) => join(folder, 'package.json')),
  ];
  for (const file of files.sort()) {
    if (existsSync(join(root, file)))
      hash
        .update(file)
        .update('\0')
        .update(readFileSync(join(root, file)))
        .update('\0');
  }
  return hash.update(`${process.platform}-${process.arch}`).digest('hex');
}

function setUp() {
  if (!existsSync(pnpmScript)) {
    console.log(`Bringing pnpm ${pnpmVersion} …`);
    mkdirSync(toolchain, { recursive: true });
    writeFileSync(join(toolchain, 'package.json'), '{ "private": true }\n');
    run(
      process.platform === 'win32' ? 'npm.cmd' : 'npm',
      [
        'install',
        '--prefix',
        toolchain,
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        '--fetch-timeout=60000',
        `pnpm@${pnpmVersion}`,
      ],
      {
        isQuiet: true,
        env: process.env,
        hint: 'The first run needs the npm registry: check the network and `npm config get registry`, then run this again.',
      },
    );
  }
  const hash = installationHash();
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== hash) {
    console.log('Installing the locked packages …');
    run(process.execPath, [pnpmScript, 'install', '--frozen-lockfile'], {
      isQuiet: true,
      hint: 'The first run needs the npm registry. If package.json files were changed, run `pnpm install` to renew the lock file.',
    });
    writeFileSync(stampFile, hash);
  }
}

/** Node 24 of the repository, or the running one where the platform has none in the lock file. */
function findNode() {
  const bundled = join(binFolder, 'node');
  if (existsSync(bundled)) return bundled;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  return fail(
    `Node ${process.versions.node} is too old, and the repository brings none for ${process.platform}-${process.arch}.`,
    'Install Node 24 and run this again.',
  );
}

function build() {
  console.log('Building …');
  run('turbo', ['run', 'build', '--output-logs=errors-only'], {
    isQuiet: true,
    hint: 'The messages above name the file and the line.',
  });
}

const [task, ...rest] = process.argv.slice(2);
process.chdir(root);
switch (task) {
  case 'setup':
    setUp();
    findNode();
    break;
  case 'quickstart':
    setUp();
    build();
    console.log();
    run(
      findNode(),
      [
        join('apps', 'talaria', 'dist', 'main.js'),
        'run',
        'terminal-test',
        '--model',
        'scripted',
        '--group-size',
        '2',
        ...rest,
      ],
      {
        hint: 'The messages above say what and where.',
      },
    );
    break;
  case 'test':
    setUp();
    run(
      findNode(),
      [
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        join('node_modules', 'jest', 'bin', 'jest.js'),
        ...rest,
      ],
      {
        hint: 'The failed tests are listed above; `npm test -- -t "words of the title"` runs one alone.',
      },
    );
    break;
  default:
    fail(`Unknown task "${task ?? ''}".`, 'Use setup, quickstart or test.');
}
