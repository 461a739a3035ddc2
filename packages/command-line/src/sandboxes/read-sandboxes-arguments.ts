import { describeFields, readFlag } from '@talaria/config';
import { ConfigError, nearestName } from '@talaria/core';
import { backendKinds, type ResolvedTerminalConfig, resolveTerminalConfig } from '@talaria/environments';
import type { BackendKind } from '@talaria/terminal-backends';
import { z } from 'zod';
import { checkOwnFlags } from '../check-own-flags.ts';
import { readConfigFile } from '../config-file.ts';
import { findAction } from '../find-action.ts';
import type { Host } from '../host.ts';
import { parseDuration } from './parse-duration.ts';

/** What `talaria sandboxes` was asked for. */
export interface SandboxesRequest {
  readonly action: 'ls' | 'sweep';
  /** Backends that were asked for; empty: all that are in use here. */
  readonly kinds: readonly BackendKind[];
  /** Only sandboxes that are older. */
  readonly olderThanMs: number | null;
  /** Those of running programs too. */
  readonly isAll: boolean;
  /** Do not ask. */
  readonly isConfirmed: boolean;
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** The backend of the configuration. */
  readonly configured: ResolvedTerminalConfig;
  /** The section `terminal`, as one backend reads it. @throws ConfigError where a variable of just this one is wrong */
  configFor(kind: BackendKind): ResolvedTerminalConfig;
}

const flags = z.object({
  backend: z.string().optional(),
  older_than: z.string().optional(),
  all: z.boolean().default(false),
  yes: z.boolean().default(false),
  json: z.boolean().default(false),
  config: z.string().optional(),
  verbose: z.boolean().default(false),
});

const actions: Readonly<Record<string, SandboxesRequest['action']>> = {
  ls: 'ls',
  list: 'ls',
  sweep: 'sweep',
  prune: 'sweep',
};

/**
 * Reads the arguments after `sandboxes`, and the configuration from the file, the variables and the flags.
 * @throws ConfigError for anything that does not fit
 */
export async function readSandboxesArguments(host: Host, args: readonly string[]): Promise<SandboxesRequest> {
  const configPath = readFlag(args, 'config');
  const yaml = configPath === undefined ? undefined : await readConfigFile(host, configPath);
  const sources = { variables: host.variables, yaml, argv: args, ownFields: describeFields(flags) };
  const configured = resolveTerminalConfig(sources);
  const given = checkOwnFlags(flags, configured.own, 'sandboxes');
  const action = readAction(configured.positionals);
  const sweepFlag = given.all ? '--all' : given.yes ? '--yes' : null;
  if (action === 'ls' && sweepFlag !== null) throw badFlag(`${sweepFlag} means nothing for ls`, 'It belongs to sweep.');
  return {
    action,
    kinds: given.backend?.split(',').map(readKind) ?? [],
    olderThanMs: readAge(given.older_than),
    isAll: given.all,
    isConfirmed: given.yes,
    isJson: given.json,
    isVerbose: given.verbose,
    configured,
    configFor: (kind) => resolveTerminalConfig({ ...sources, backend: kind }),
  };
}

function readAction(positionals: readonly string[]): SandboxesRequest['action'] {
  const [word = '', stray] = positionals;
  const action = findAction(word, actions, 'sandboxes');
  if (stray === undefined) return action;
  throw new ConfigError(`${JSON.stringify(stray)} belongs to no flag`, {
    code: 'config.stray-argument',
    hint: 'talaria sandboxes --help lists all flags.',
  });
}

function readKind(word: string): BackendKind {
  const kind = backendKinds.find((candidate) => candidate === word.trim());
  if (kind !== undefined) return kind;
  const meant = nearestName(word, backendKinds);
  throw new ConfigError(`Unknown terminal backend ${JSON.stringify(word)}`, {
    code: 'config.unknown-backend',
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}There are ${backendKinds.join(', ')}.`,
  });
}

function readAge(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ageMs = parseDuration(text);
  if (ageMs !== null) return ageMs;
  throw badFlag(`--older-than does not take ${JSON.stringify(text)}`, 'Give a time such as 90s, 30m, 2h or 1d.');
}

function badFlag(message: string, hint: string, cause?: unknown): ConfigError {
  return new ConfigError(message, { code: 'config.bad-flag', hint, cause });
}
