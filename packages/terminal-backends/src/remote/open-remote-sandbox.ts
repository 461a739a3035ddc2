import { ConfigError, isTalariaError, quoteShell } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { defaultLifetimeMs, defaultTimeoutMs } from '../sandbox-defaults.ts';
import { createSandboxEnvironment, type EnvironmentSource } from '../sandbox-environment.ts';
import { answerInTime } from './answer-in-time.ts';
import { createBesideScripts } from './beside-scripts.ts';
import type { ChannelRequest } from './command-channel.ts';
import type { CommandRunner } from './command-runner.ts';
import { exportLines } from './command-text.ts';
import type { CommandShell } from './direct-runner.ts';
import { createRemoteFiles } from './files/remote-files.ts';
import { createKiller, type KillTarget } from './killer.ts';
import { LauncherPool } from './launcher-pool.ts';
import { createOneShotScripts } from './one-shot-scripts.ts';
import { remoteError } from './remote-error.ts';
import { RemoteSandbox } from './remote-sandbox.ts';
import type { RemoteTools } from './remote-tools.ts';
import { readSandboxFacts, type SandboxFacts } from './sandbox-facts.ts';
import { startDirectRunner } from './start-direct-runner.ts';
import type { SandboxTransport } from './transport.ts';

/** What a backend hands over once a sandbox of its own runs. */
export interface OpenRemoteSandbox {
  readonly sandboxId: string;
  readonly spec: SandboxSpec;
  readonly transport: SandboxTransport;
  readonly capabilities: SandboxCapabilities;
  /** Variables of the host that may be handed on. */
  readonly source: EnvironmentSource;
  /** Variables with their values for every sandbox of the backend. */
  readonly env: Readonly<Record<string, string>>;
  readonly tools: RemoteTools;
  /**
   * Where home and temporary files are; both are made. Without it they are the user's home and `/tmp`, which belong to the
   * sandbox alone.
   */
  readonly places?: { readonly home: string; readonly temporaryFolder: string } | undefined;
  /** Start folder where the spec names none. @default the home folder */
  readonly cwd?: string | undefined;
  /** Make the start folder wherever it is, as Docker does; else only below the home folder. @default false */
  readonly makesStartFolder?: boolean | undefined;
  /** What `killAll` ends. */
  readonly everything: KillTarget;
  /** Hidden limit that marks what the sandbox starts, where processes of others run beside it. @default none */
  readonly limitMark?: string | null | undefined;
  readonly saveSnapshot?: ((signal: AbortSignal) => Promise<string>) | null | undefined;
  /** Takes the sandbox away. Bounded in time; never throws. */
  readonly remove: () => Promise<void>;
}

/** Makes a sandbox usable that already runs. Where that fails, the caller removes it. */
export async function openRemoteSandbox(opening: OpenRemoteSandbox, signal: AbortSignal): Promise<RemoteSandbox> {
  const { transport, spec, tools, sandboxId, capabilities } = opening;
  const stateId = sandboxId.replace(/[^A-Za-z0-9]/g, '').slice(-12);
  const environmentScript = (entries: readonly string[]) =>
    exportLines(createRemoteEnvironment(opening, readSandboxFacts(entries)));
  const { runner, shell } = await startRunner(opening, stateId, environmentScript, signal);
  try {
    const facts = readSandboxFacts(runner.facts);
    const { home, temporaryFolder } = placesOf(opening, facts);
    // The launchers have gone with everything else, even where nobody has heard of it yet.
    const killer = createKiller(transport, { ...tools, onAllEnded: () => runner.retire() });
    const streams = createOneShotScripts(transport, {
      ...tools,
      shell,
      environment: () => ({ PATH: facts.path, HOME: home }),
    });
    const scripts = createBesideScripts({ transport, runner, killer, tools }, streams);
    let sandbox: RemoteSandbox | null = null;
    const files = createRemoteFiles({
      kind: transport.kind,
      scripts,
      carrier: transport.fileCarrier,
      home,
      currentFolder: () => sandbox?.cwd ?? home,
    });
    const cwd = await makePlaces(opening, { home, temporaryFolder }, runner, signal);
    sandbox = new RemoteSandbox({
      place: {
        sandboxId,
        limitMark: opening.limitMark ?? null,
        transport,
        runner,
        shell,
        killer,
        defaultTimeoutMs: spec.defaultTimeoutMs ?? defaultTimeoutMs,
        tools,
        resolvePath: (path) => files.resolvePath(path),
      },
      files,
      capabilities: { ...capabilities, keepsShellState: shell === 'bash' },
      home,
      temporaryFolder,
      cwd,
      maxLifetimeMs: spec.maxLifetimeMs ?? defaultLifetimeMs,
      everything: opening.everything,
      saveSnapshot: opening.saveSnapshot ?? null,
      remove: opening.remove,
    });
    return sandbox;
  } catch (error) {
    runner.close();
    throw error;
  }
}

async function startRunner(
  { transport, tools }: OpenRemoteSandbox,
  stateId: string,
  environmentScript: (entries: readonly string[]) => string,
  signal: AbortSignal,
): Promise<{ readonly runner: CommandRunner; readonly shell: CommandShell }> {
  const { clock, logger } = tools;
  if (transport.isInteractive) {
    try {
      return {
        runner: await LauncherPool.open({ transport, stateId, clock, environmentScript }, signal),
        shell: 'bash',
      };
    } catch (error) {
      if (!isTalariaError(error) || error.code !== 'sandbox.missing-program') throw error;
      logger.warn('sandbox.no-bash', {
        hint: 'Commands run by sh; no folder or variable survives from one to the next.',
      });
    }
  }
  return await startDirectRunner({ transport, stateId, clock, environmentScript }, signal);
}

function placesOf(opening: OpenRemoteSandbox, facts: SandboxFacts): { home: string; temporaryFolder: string } {
  return opening.places ?? { home: facts.home, temporaryFolder: '/tmp' };
}

function createRemoteEnvironment(opening: OpenRemoteSandbox, facts: SandboxFacts): Record<string, string> {
  const { source, env, spec } = opening;
  const { hostEnvironment, passthrough } = source;
  const handedOn = passthrough.map((name) => [name, hostEnvironment[name]] as const);
  const variables = createSandboxEnvironment(
    {
      ...source,
      hostEnvironment: { ...Object.fromEntries(handedOn), PATH: facts.path, LANG: facts.variables['LANG'] },
    },
    { ...placesOf(opening, facts), user: facts.user },
  );
  return { ...facts.variables, ...variables, ...env, ...spec.env };
}

/** Makes the sandbox's folders; gives the real one that it starts in. @throws SandboxError `sandbox.not-found` */
async function makePlaces(
  { transport, spec, tools, ...opening }: OpenRemoteSandbox,
  { home, temporaryFolder }: { readonly home: string; readonly temporaryFolder: string },
  runner: CommandRunner,
  signal: AbortSignal,
): Promise<string> {
  const wanted = spec.cwd ?? opening.cwd ?? home;
  const cwd = wanted === '~' || wanted.startsWith('~/') ? home + wanted.slice(1) : wanted;
  if (!cwd.startsWith('/')) {
    throw new ConfigError(`The start folder ${JSON.stringify(wanted)} of the task ${spec.taskId} is not absolute`, {
      code: 'config.invalid',
      hint: 'Give a path that starts with / or ~/; it counts inside the sandbox.',
    });
  }
  const mayMake = opening.makesStartFolder || cwd.startsWith(`${home}/`) ? [cwd] : [];
  const made = quoteShell([home, temporaryFolder, ...mayMake]);
  const chunks: Uint8Array[] = [];
  // Nothing else is asked of a new sandbox: with the launcher of the commands, no other one is needed for this.
  const request: ChannelRequest = {
    execId: 'places',
    text: `umask 022; mkdir -p -- ${made} 2>/dev/null; cd -P -- ${quoteShell([cwd])} && pwd`,
    variables: '',
    state: null,
    hear: (bytes) => chunks.push(bytes),
  };
  const wait = { clock: tools.clock, signal, mayFinish: true, phase: 'create' } as const;
  const outcome = await answerInTime(transport, wait, (limited) =>
    runner.runInOrder(request, { signal, abandoned: limited, onStart: () => undefined }),
  );
  const output = Buffer.concat(chunks).toString();
  if (outcome.kind === 'ended' && outcome.exitCode === 0) return output.replace(/\n$/, '');
  throw remoteError(transport.kind, `The start folder ${cwd} cannot be entered in the sandbox: ${output.trim()}`, {
    code: outcome.kind === 'ended' ? 'sandbox.not-found' : 'sandbox.lost',
    phase: 'create',
    started: false,
    hint: 'Use a folder of the image, or one below ~, which is made.',
  });
}
