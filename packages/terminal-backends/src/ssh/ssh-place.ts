import { type Clock, ConfigError, SandboxError } from '@talaria/core';
import type { LedgerEntry } from '../ledger/sandbox-ledger.ts';
import { limitMarkOf } from '../local/limit-mark.ts';
import type { SandboxTransport } from '../remote/transport.ts';
import { endPlaceScript, makePlaceScript, tasksFolder } from './place-scripts.ts';
import { type RemoteScriptResult, runRemoteScript } from './remote-script.ts';

/** Where a sandbox lives on the server. */
export interface SshPlace {
  /** Absolute, without links. */
  readonly folder: string;
  readonly user: string;
  readonly path: string;
  /** `''` where a login has none. */
  readonly language: string;
}

/** What making and removing places needs. */
export interface PlaceTools {
  /** Starts processes as a login does. */
  readonly login: SandboxTransport;
  readonly clock: Clock;
  readonly killGraceMs: number;
}

/** Options of {@link makePlace}. */
export interface MakePlaceOptions {
  readonly signal: AbortSignal;
  /** Hears that from now on there may be something to remove. */
  readonly onStart: () => void;
}

/** After the sandbox's lifetime, since the backend itself ends it first. */
export const watchdogMarginMs = 60_000;
const maxMakeMs = 15_000;
/** Beside the grace time of processes: removing a large folder takes a while. */
const maxRemoveMs = 60_000;

/**
 * Makes the folders of a sandbox and starts its watchdog. Where it fails, the caller removes what may be there; nothing
 * is under way any more then, unless the server does not answer.
 * @throws SandboxError; ConfigError `config.invalid` for an id that is no plain name
 */
export async function makePlace(
  about: LedgerEntry,
  { signal, onStart }: MakePlaceOptions,
  tools: PlaceTools,
): Promise<SshPlace> {
  const lifetimeMs = about.expiresAt - about.createdAt;
  const seconds = Number.isFinite(lifetimeMs) ? String(Math.ceil((lifetimeMs + watchdogMarginMs) / 1_000)) : '-';
  const result = await runRemoteScript(
    tools.login,
    [makePlaceScript, about.id, seconds, endPlaceScript, JSON.stringify(about), ...endArguments(about.id, tools)],
    { clock: tools.clock, timeoutMs: maxMakeMs, signal, isWhole: true, onStart },
  );
  const [folder = '', user = '', path = '', language = '', end] = result.stdout.split('\0');
  // A login that runs another program instead may well succeed.
  if (result.exitCode !== 0 || end === undefined || !folder.startsWith('/')) throw makeError(result);
  return { folder, user, path, language };
}

/** Ends everything of a sandbox and removes it; does nothing where it is gone. @throws SandboxError where something stays */
export async function removePlace(sandboxId: string, tools: PlaceTools, signal?: AbortSignal): Promise<void> {
  const result = await runRemoteScript(tools.login, [endPlaceScript, ...endArguments(sandboxId, tools)], {
    clock: tools.clock,
    timeoutMs: maxRemoveMs + tools.killGraceMs,
    signal,
  });
  if (result.exitCode !== 0) throw removeError(sandboxId, result);
}

/** It becomes a part of paths that are removed. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Name of the folder that the engine of a sandbox keeps its state in. */
export function stateIdOf(sandboxId: string): string {
  return sandboxId.replace(/[^A-Za-z0-9]/g, '').slice(-12);
}

/** Whether an id can name a folder without leading anywhere else. */
export function isSandboxId(sandboxId: string): boolean {
  return plainName.test(sandboxId);
}

/** Refuses ids that could lead out of the folder of all sandboxes. @throws ConfigError `config.invalid` */
export function checkSandboxId(sandboxId: string): void {
  if (isSandboxId(sandboxId)) return;
  throw new ConfigError(`The sandbox id ${JSON.stringify(sandboxId)} cannot name a folder on the server`, {
    code: 'config.invalid',
    hint: 'Let createId make names of letters, digits, underscores and dashes.',
  });
}

function endArguments(sandboxId: string, { killGraceMs }: PlaceTools): readonly string[] {
  checkSandboxId(sandboxId);
  return [String(killGraceMs), 'sandbox', sandboxId, limitMarkOf(sandboxId), stateIdOf(sandboxId)];
}

/** What the exit codes of the script that makes a place mean. */
const makeFailures: Readonly<Record<number, { readonly code: 'failed' | 'permission'; readonly hint: string }>> = {
  3: { code: 'failed', hint: 'The server must run Linux, with /proc readable.' },
  4: { code: 'permission', hint: `The account needs a home folder in which ~/${tasksFolder} can be made.` },
};

function makeError({ exitCode, stdout, stderr }: RemoteScriptResult): SandboxError {
  const said = stderr.trim() || stdout.trim() || `exit code ${exitCode}`;
  const { code, hint } = makeFailures[exitCode] ?? {
    code: 'failed',
    hint: 'The login must give a shell that runs commands: try `ssh` with the same account and the command `true`.',
  };
  const isFull = /No space left|quota/i.test(said);
  return new SandboxError(`No folder for the sandbox could be made on the server: ${said}`, {
    backend: 'ssh',
    code: isFull ? 'sandbox.no-space' : `sandbox.${code}`,
    phase: 'create',
    started: false,
    hint: isFull ? 'Free space in the home folder of the account.' : hint,
  });
}

function removeError(sandboxId: string, { exitCode, stdout, stderr }: RemoteScriptResult): SandboxError {
  const what =
    exitCode === 1
      ? `Processes of the sandbox ${sandboxId} could not be ended: ${stdout.trim()}`
      : `The folder of the sandbox ${sandboxId} could not be removed: ${stderr.trim() || `exit code ${exitCode}`}`;
  return new SandboxError(what, {
    backend: 'ssh',
    code: 'sandbox.failed',
    phase: 'dispose',
    started: true,
    hint: `Do it on the server as the user that they belong to (~/${tasksFolder}/${sandboxId}), and sweep again.`,
  });
}
