import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder, silentLogger, systemClock } from '@talaria/core';
import type { OpenSandbox } from '../src/contract/contract-case.ts';
import type { Sandbox } from '../src/index.ts';
import { createRemoteFiles } from '../src/remote/files/remote-files.ts';
import { createOneShotScripts } from '../src/remote/one-shot-scripts.ts';
import type { ScriptRunner } from '../src/remote/script-runner.ts';
import { createFakeSandbox } from '../src/testing/index.ts';
import { createProcessTransport } from './process-transport.ts';

const runFile = promisify(execFile);

/** What runs the scripts of a {@link openScriptedSandbox}. */
export interface ScriptPlace {
  readonly shell: 'bash' | 'sh';
  /** Folder that comes first on `PATH`. */
  readonly tools?: string | undefined;
  /** Stands in for the runner, for example to count. */
  readonly wrap?: ((scripts: ScriptRunner) => ScriptRunner) | undefined;
}

/**
 * Opens a sandbox whose files are reached by scripts that plain processes of this machine run, in a folder of its own. Its
 * commands run by bash, one after another, and keep the working folder.
 */
export function scriptedSandboxes({ shell, tools, wrap = (scripts) => scripts }: ScriptPlace): OpenSandbox {
  return async () => {
    const holder = await mkdtemp(join(tmpdir(), 'talaria-scripted-'));
    const home = join(holder, 'home');
    await makeFolder(home);
    const path = process.env['PATH'] ?? '';
    const transport = createProcessTransport({ PATH: tools === undefined ? path : `${tools}:${path}`, HOME: home });
    const scripts = wrap(
      createOneShotScripts(transport, { clock: systemClock, logger: silentLogger, shell, killGraceMs: 100 }),
    );
    let cwd = home;
    const files = createRemoteFiles({ kind: 'docker', scripts, home, currentFolder: () => cwd, holder });
    const fake = createFakeSandbox();
    async function run(command: string): ReturnType<Sandbox['run']> {
      const text = `cd '${cwd}' || exit 126\n${command}\nstatus=$?; printf '\\n%s' "$PWD"; exit $status`;
      const outcome = await runFile('bash', ['--noprofile', '--norc', '-c', text], {
        env: { PATH: path, HOME: home, LC_ALL: 'C.UTF-8' },
        maxBuffer: 100_000_000,
      }).then(
        ({ stdout }) => ({ stdout, code: 0 }),
        (error) => ({ stdout: String(error.stdout) + String(error.stderr), code: Number(error.code) }),
      );
      const end = outcome.stdout.lastIndexOf('\n');
      const output = outcome.stdout.slice(0, Math.max(end, 0));
      if (outcome.code === 0) cwd = outcome.stdout.slice(end + 1);
      const outputBytes = Buffer.from(output);
      const facts = { output, outputBytes, stderr: '', truncatedBytes: 0, durationMs: 0, cwd };
      return { kind: 'exited', exitCode: outcome.code, ...facts };
    }
    return {
      ...fake,
      ...files,
      kind: 'docker',
      home,
      get cwd() {
        return cwd;
      },
      run,
      async spawn(command) {
        const started = await transport.start({ words: ['bash', '-c', `export HOME=${home}; ${command}`] });
        started.stdout.resume();
        started.stderr?.resume();
        return { ...(await fake.spawn(command)), kill: () => killGroup(started, command, home) };
      },
      async [Symbol.asyncDispose]() {
        // Of what is closed only root can remove the content.
        await runFile('chmod', ['-R', 'u+rwX', holder]).catch(() => undefined);
        await rm(holder, { recursive: true, force: true });
      },
    };
  };
}

async function killGroup(
  started: Awaited<ReturnType<ReturnType<typeof createProcessTransport>['start']>>,
  _command: string,
  home: string,
) {
  // The loop of the case works in the home folder of its sandbox only.
  await runFile('bash', [
    '-c',
    `for p in /proc/[0-9]*; do c=$(readlink $p/cwd); case $c in ${home}*) kill -9 \${p#/proc/};; esac; done 2>/dev/null; true`,
  ]);
  await started.exited;
  started.close();
  return { exitCode: 137, endedAt: 0 };
}

/** Makes a folder with a link to BusyBox for each of its tools; `null` where it is not installed. */
export async function busyBoxTools(): Promise<string | null> {
  const listed = await runFile('busybox', ['--list']).catch(() => null);
  if (listed === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'talaria-busybox-'));
  const { stdout: program } = await runFile('bash', ['-c', 'command -v busybox']);
  await makeFolder(folder);
  for (const name of listed.stdout.split('\n').filter(Boolean)) {
    await symlink(program.trim(), join(folder, name)).catch(() => undefined);
  }
  await chmod(folder, 0o755);
  return folder;
}
