// Sets up a fresh clone on which only Node 20 and npm exist, then does what was asked. No dependencies, on purpose.
//
//   node scripts/bootstrap.mjs setup | quickstart | talaria [arguments…] | pack
//   node scripts/bootstrap.mjs test [jest arguments…] | test:thorough [jest arguments…]
//
// It brings pnpm into .toolchain/, installs the locked packages (Node 24 among them) and remembers what it installed, so
// that a second run needs no network.
import { spawn, spawnSync } from 'node:child_process';
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

/** What the set-up does goes beside the output of the program that is started in the end. */
function tell(line) {
  console.error(line);
}

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

/** Runs a program in place of this one: its end is the end of this one, with the same exit code and no word of ours. */
function runInPlace(file, args, { cwd = root, env = process.env } = {}) {
  const child = spawn(file, args, { cwd, env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // What is typed at a terminal, and its end, reach the child by themselves; twice would mean something else.
      if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.once('error', (error) => fail(`${file} did not start: ${error.message}`, 'Run `npm run setup` again.'));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
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
    tell(`Bringing pnpm ${pnpmVersion}: waiting for the npm registry, a minute at most for each try …`);
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
        '--prefer-offline',
        '--fetch-retries=1',
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
    tell('Installing the locked packages: waiting for the npm registry, some minutes where it is slow …');
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

const programFile = join(root, 'apps', 'talaria', 'dist', 'main.js');

/** Builds what changed; quick where nothing did. */
function build(...flags) {
  if (!existsSync(programFile)) tell('Building …');
  run('turbo', ['run', 'build', '--output-logs=errors-only', ...flags], {
    isQuiet: true,
    hint: 'The messages above name the file and the line.',
  });
}

const scriptedFlags = ['--model', 'scripted', '--group-size', '2'];

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
    tell('');
    if (rest.length === 0) {
      tell('A scripted model plays the reference solutions. It makes one mistake on purpose: answer, sample 1.\n');
    }
    runInPlace(findNode(), [programFile, 'run', 'terminal-test', ...scriptedFlags, ...rest]);
    break;
  case 'talaria':
    setUp();
    build('--filter=@talaria/cli');
    // npm changes to the root; the user is where they typed the command.
    runInPlace(findNode(), [programFile, ...rest], { cwd: process.env.INIT_CWD ?? root });
    break;
  case 'test':
  case 'test:thorough':
    setUp();
    if (task === 'test:thorough') environment.TALARIA_THOROUGH = '1';
    else if (process.env.TALARIA_THOROUGH !== '1') tell('Suites that take long are left to: npm run test:thorough');
    runInPlace(
      findNode(),
      [
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        join('node_modules', 'jest', 'bin', 'jest.js'),
        ...rest,
      ],
      { env: environment },
    );
    break;
  case 'pack':
    setUp();
    build();
    runInPlace(findNode(), [join('scripts', 'pack.ts')], { env: environment });
    break;
  default:
    fail(`Unknown task "${task ?? ''}".`, 'Use setup, quickstart, talaria, test, test:thorough or pack.');
}
