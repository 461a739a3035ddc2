import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isTalariaError, makeFolder } from '@talaria/core';
import type { Sandbox, TerminalBackend } from '../src/index.ts';
import { createLocalBackend } from '../src/local/index.ts';
import { busyBoxTools, scriptedSandboxes } from './scripted-sandbox.ts';

const setUp = `mkdir -p ~/d/sub ~/empty ~/full; echo one > ~/file; echo two > ~/other; echo x > ~/full/x; mkfifo ~/pipe
ln -s d ~/to-d; ln -s file ~/to-file; ln -s missing ~/dangling; ln -s loop ~/loop; ln -s d/sub/../.. ~/to-home
ln -s sub/ ~/d/slash; ln ~/file ~/hard; chmod 4750 ~/other; mkdir ~/closed; echo y > ~/closed/y; chmod 0 ~/closed
touch -d @-1000.5 ~/old; : > ~/none`;

type Operation = (sandbox: Sandbox, host: string) => Promise<unknown>;

const text = async (sandbox: Sandbox, path: string) => Buffer.from((await sandbox.readFile(path)).bytes).toString();

const operations: Readonly<Record<string, Operation>> = {
  'reads a file below a file': (sandbox) => sandbox.readFile('~/file/x'),
  'reads through a link to a folder': (sandbox) => text(sandbox, '~/to-home/file'),
  'reads a broken link': (sandbox) => sandbox.readFile('~/dangling'),
  'reads a circle': (sandbox) => sandbox.readFile('~/loop'),
  'reads a device': (sandbox) => sandbox.readFile('/dev/null'),
  'reads a file of the system without a size': async (sandbox) => (await text(sandbox, '/proc/version')).length > 10,
  'opens a folder as a stream': (sandbox) => sandbox.openRead('~/d'),
  'opens nothing as a stream': (sandbox) => sandbox.openRead('~/nothing'),
  'reads nothing of nothing': async (sandbox) => (await sandbox.readFile('~/none', { maxBytes: 0 })).isTruncated,
  'reads no bytes': async (sandbox) => (await sandbox.readFile('~/file', { maxBytes: 0 })).isTruncated,
  'reads from an offset without a limit': async (sandbox) =>
    Buffer.from((await sandbox.readFile('~/file', { offset: 1, maxBytes: Number.POSITIVE_INFINITY })).bytes).toString(),
  'refuses half a byte': (sandbox) => sandbox.readFile('~/file', { maxBytes: 0.5 }),
  'reads the file of ~root': async (sandbox) => await sandbox.resolvePath('~root/./a//b/../c/'),
  'looks at a circle': (sandbox) => sandbox.stat('~/loop'),
  'looks at a circle as a link': async (sandbox) => (await sandbox.stat('~/loop', { isLink: true }))?.linkTarget,
  'looks at a pipe': async (sandbox) => (await sandbox.stat('~/pipe'))?.kind,
  'looks at the root': async (sandbox) => (await sandbox.stat('/'))?.kind,
  'looks at an old file': async (sandbox) => (await sandbox.stat('~/old'))?.modifiedAt,
  'looks at special rights': async (sandbox) => (await sandbox.stat('~/other'))?.mode,
  'lists what is no folder': (sandbox) => sandbox.list('~/pipe'),
  'lists a broken link': (sandbox) => sandbox.list('~/dangling'),
  'lists through a link': (sandbox) => sandbox.list('~/to-d'),
  'lists an empty folder': (sandbox) => sandbox.list('~/empty'),
  'lists all kinds': (sandbox) => sandbox.list('~'),
  'lists names that are no UTF-8': async (sandbox) => {
    await sandbox.run(`mkdir ~/odd; cd ~/odd; touch $'\\xff' '*' '?' .hidden ' '; cd`);
    return await sandbox.list('~/odd');
  },
  'writes below a file': (sandbox) => sandbox.writeFile('~/file/x', ''),
  'writes far below a file': (sandbox) => sandbox.writeFile('~/file/x/y', ''),
  'writes to a link to a folder': (sandbox) => sandbox.writeFile('~/to-d', ''),
  'writes to a link that ends with a slash': (sandbox) => sandbox.writeFile('~/d/slash', ''),
  'writes to a circle': (sandbox) => sandbox.writeFile('~/loop', ''),
  'writes below a circle': (sandbox) => sandbox.writeFile('~/loop/x', ''),
  'writes where nobody may': (sandbox) => sandbox.writeFile('/proc/version', 'x'),
  'writes a new file where nobody may': (sandbox) => sandbox.writeFile('/proc/talaria', 'x'),
  'writes a name that is too long': (sandbox) => sandbox.writeFile(`~/${'x'.repeat(300)}`, ''),
  'makes a new file where a link is': (sandbox) => sandbox.writeFile('~/dangling', '', { isExclusive: true }),
  'makes a new file where a folder is': (sandbox) => sandbox.writeFile('~/d', '', { isExclusive: true }),
  'makes a new file': async (sandbox) => {
    await sandbox.writeFile('~/a/b/new', 'x', { isExclusive: true, mode: 0o400 });
    return [(await sandbox.stat('~/a/b/new'))?.mode, await sandbox.list('~/a/b')];
  },
  'replaces one of two names': async (sandbox) => {
    await sandbox.writeFile('~/hard', 'new');
    return [await text(sandbox, '~/file'), await text(sandbox, '~/hard')];
  },
  'keeps special rights': async (sandbox) => {
    await sandbox.writeFile('~/other', 'new');
    return (await sandbox.stat('~/other'))?.mode;
  },
  'makes a folder where a file is': (sandbox) => sandbox.makeDirectory('~/file'),
  'makes a folder below a file': (sandbox) => sandbox.makeDirectory('~/file/x/y'),
  'makes a folder where a broken link is': (sandbox) => sandbox.makeDirectory('~/dangling'),
  'makes a folder where a link to one is': (sandbox) => sandbox.makeDirectory('~/to-d'),
  'makes the root': (sandbox) => sandbox.makeDirectory('/'),
  'makes a folder where nobody may': (sandbox) => sandbox.makeDirectory('/proc/talaria'),
  'removes a link, not what it points to': async (sandbox) => [
    await sandbox.remove('~/to-d'),
    (await sandbox.stat('~/d'))?.kind,
  ],
  'removes a broken link and a circle': async (sandbox) => [
    await sandbox.remove('~/dangling'),
    await sandbox.remove('~/loop'),
  ],
  'removes a folder by ..': async (sandbox) => [await sandbox.remove('~/d/sub/..'), await sandbox.stat('~/d')],
  'removes what is below a file': (sandbox) => sandbox.remove('~/file/x'),
  'removes a closed folder': async (sandbox) => [await sandbox.remove('~/closed'), await sandbox.stat('~/closed')],
  'removes its home': (sandbox) => sandbox.remove('~'),
  'removes what holds its home': (sandbox) => sandbox.remove('~/..'),
  'moves nothing': (sandbox) => sandbox.move('~/nothing', '~/x'),
  'moves a file over a file': async (sandbox) => {
    await sandbox.move('~/file', '~/other');
    return [await text(sandbox, '~/other'), await sandbox.stat('~/file')];
  },
  'moves a file over a folder': (sandbox) => sandbox.move('~/file', '~/empty'),
  'moves a file over a link to a folder': async (sandbox) => {
    await sandbox.move('~/file', '~/to-d');
    return [await text(sandbox, '~/to-d'), await sandbox.list('~/d/sub')];
  },
  'moves a file over a link to a file': async (sandbox) => {
    await sandbox.move('~/other', '~/to-file');
    return [(await sandbox.stat('~/to-file', { isLink: true }))?.kind, await text(sandbox, '~/file')];
  },
  'moves a folder over an empty one': async (sandbox) => {
    await sandbox.move('~/full', '~/empty');
    return await sandbox.list('~/empty');
  },
  'moves a folder over a full one': (sandbox) => sandbox.move('~/d', '~/full'),
  'moves a folder over a file': (sandbox) => sandbox.move('~/d', '~/file'),
  'moves a folder over a link': (sandbox) => sandbox.move('~/d', '~/to-file'),
  'moves a folder into itself': (sandbox) => sandbox.move('~/d', '~/d/sub/x'),
  'moves a folder over one inside it': (sandbox) => sandbox.move('~/d', '~/d/sub'),
  'moves a file to where no folder is': (sandbox) => sandbox.move('~/file', '~/nothing/x'),
  'moves a file below a file': (sandbox) => sandbox.move('~/file', '~/other/x'),
  'moves a file to itself': async (sandbox) => {
    await sandbox.move('~/file', '~/file');
    return await text(sandbox, '~/file');
  },
  'moves a file to its other name': async (sandbox) => {
    await sandbox.move('~/file', '~/hard');
    return [await text(sandbox, '~/file'), await text(sandbox, '~/hard')];
  },
  'moves a link': async (sandbox) => {
    await sandbox.move('~/to-d', '~/moved');
    return (await sandbox.stat('~/moved', { isLink: true }))?.linkTarget;
  },
  'moves its home': (sandbox) => sandbox.move('~', '~/../moved'),
  'moves to another file system': (sandbox) => sandbox.move('~/file', '/dev/shm/talaria-parity'),
  'uploads a file over a folder': (sandbox, host) => sandbox.upload(join(host, 'file'), '~/d'),
  'uploads a file over a pipe': (sandbox, host) => sandbox.upload(join(host, 'file'), '~/pipe'),
  'uploads a file over a link': async (sandbox, host) => {
    await sandbox.upload(join(host, 'file'), '~/to-file');
    return [await text(sandbox, '~/file'), (await sandbox.stat('~/to-file', { isLink: true }))?.kind];
  },
  'uploads a file to a circle': (sandbox, host) => sandbox.upload(join(host, 'file'), '~/loop'),
  'uploads a device': (sandbox) => sandbox.upload('/dev/null', '~/x'),
  'uploads a file of the system without a size': async (sandbox) => {
    await sandbox.upload('/proc/version', '~/version');
    return (await text(sandbox, '~/version')).length > 10;
  },
  'uploads a folder over a file': (sandbox, host) => sandbox.upload(join(host, 'tree'), '~/file'),
  'uploads a folder over a broken link': (sandbox, host) => sandbox.upload(join(host, 'tree'), '~/dangling'),
  'uploads a folder below a file': (sandbox, host) => sandbox.upload(join(host, 'tree'), '~/file/x/y'),
  'uploads a folder through a link to a folder': async (sandbox, host) => [
    await sandbox.upload(join(host, 'tree'), '~/to-d', { verifyHash: true }),
    await sandbox.list('~/d'),
  ],
  'uploads into a folder that has some of it': async (sandbox, host) => {
    await sandbox.run(
      'mkdir -p ~/t/sub; echo old > ~/t/sub/a; echo kept > ~/t/sub/kept; chmod 700 ~/t; ln -s ../file ~/t/top',
    );
    const sent = await sandbox.upload(join(host, 'tree'), '~/t');
    const mode = (await sandbox.stat('~/t'))?.mode;
    return [sent, mode, await text(sandbox, '~/t/sub/a'), await sandbox.list('~/t/sub'), await sandbox.list('~/t')];
  },
  'uploads over a link in the place of a folder': async (sandbox, host) => {
    await sandbox.run('mkdir ~/t; ln -s ../d ~/t/sub');
    await sandbox.upload(join(host, 'tree'), '~/t');
  },
  'uploads over a file in the place of a folder': async (sandbox, host) => {
    await sandbox.run('mkdir ~/t; touch ~/t/sub');
    await sandbox.upload(join(host, 'tree'), '~/t');
  },
  'uploads over a folder in the place of a file': async (sandbox, host) => {
    await sandbox.run('mkdir -p ~/t/top');
    await sandbox.upload(join(host, 'tree'), '~/t');
  },
  'downloads a device': (sandbox, host) => sandbox.download('/dev/null', join(host, 'null')),
  'downloads a pipe': (sandbox, host) => sandbox.download('~/pipe', join(host, 'pipe')),
  'downloads a circle': (sandbox, host) => sandbox.download('~/loop', join(host, 'x')),
  'downloads a file over a folder': (sandbox, host) => sandbox.download('~/file', join(host, 'tree')),
  'downloads a folder over a file': (sandbox, host) => sandbox.download('~/d', join(host, 'file')),
  'downloads a folder of everything': async (sandbox, host) => {
    await sandbox.run('chmod 700 ~/closed');
    const { files, bytes, skipped } = await sandbox.download('~', join(host, 'all'), { verifyHash: true });
    return { files, bytes, skipped: skipped.map(({ path, reason }) => `${path}: ${reason}`).sort() };
  },
  'downloads a folder of everything, links followed': async (sandbox, host) => {
    await sandbox.run('chmod 700 ~/closed');
    const { files, bytes, skipped } = await sandbox.download('~', join(host, 'all'), { symlinks: 'follow' });
    return { files, bytes, skipped: skipped.map(({ path, reason }) => `${path}: ${reason}`).sort() };
  },
};

let folder: string;
let local: TerminalBackend;
const tools = await busyBoxTools();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-parity-'));
  local = createLocalBackend({ stateFolder: join(folder, 'state'), environment: process.env });
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  if (tools !== null) await rm(tools, { recursive: true });
});

async function outcomeOf(sandbox: Sandbox, operation: Operation): Promise<unknown> {
  const host = await mkdtemp(join(folder, 'host-'));
  await writeFile(join(host, 'file'), 'from the host');
  await makeFolder(join(host, 'tree/sub'));
  await writeFile(join(host, 'tree/sub/a'), 'new');
  await writeFile(join(host, 'tree/top'), 'top');
  await sandbox.run(setUp);
  return await operation(sandbox, host).then(
    (result) => result ?? 'nothing',
    (error: unknown) => (isTalariaError(error) ? { code: error.code, hasHint: error.hint !== undefined } : error),
  );
}

/** `home` differs, and with it what resolves to it. */
function withoutHome(outcome: unknown, home: string): unknown {
  return JSON.parse(JSON.stringify(outcome).replaceAll(home, '~'));
}

const places = [
  ['bash', { shell: 'bash' }],
  ['sh', { shell: 'sh' }],
  ...(tools === null ? [] : [['BusyBox', { shell: 'sh', tools }] as const]),
] as const;

const wanted = new Map<Operation, Promise<unknown>>();

/** What the local sandbox does: asked once, compared with each of the others. */
function wantedOf(operation: Operation): Promise<unknown> {
  const outcome = wanted.get(operation) ?? askLocal(operation);
  wanted.set(operation, outcome);
  return outcome;
}

async function askLocal(operation: Operation): Promise<unknown> {
  await using sandbox = await local.open({ taskId: 'parity' });
  return withoutHome(await outcomeOf(sandbox, operation), sandbox.home);
}

describe.each(places)('a sandbox that is reached by scripts of %s does what the local one does', (_name, place) => {
  test.each(Object.entries(operations))('%s', async (_title, operation) => {
    await using actual = await scriptedSandboxes(place)();
    const outcome = withoutHome(await outcomeOf(actual, operation), actual.home);
    expect(outcome).toEqual(await wantedOf(operation));
  });
});
