import { ConfigError } from '@talaria/core';
import type { ResolvedToolsConfig } from '@talaria/environments';
import { z } from 'zod';
import { findAction } from '../find-action.ts';
import type { Host } from '../host.ts';
import { readToolSections } from '../tools/read-tool-sections.ts';

/** What `talaria distributions` was asked for. */
export interface DistributionsRequest {
  readonly action: 'list' | 'sample';
  /** Name or file of what is sampled; empty for `list`. */
  readonly target: string;
  readonly seed: string;
  /** How many rows are sampled. */
  readonly rows: number;
  readonly isJson: boolean;
  /** Which tools there are decides what can be sampled. */
  readonly resolved: ResolvedToolsConfig;
}

const flags = z.object({
  seed: z.string().default('0'),
  rows: z.int().min(1).max(1_000_000).default(10),
  json: z.boolean().default(false),
  config: z.string().optional(),
  verbose: z.boolean().default(false),
});

const actions: Readonly<Record<string, DistributionsRequest['action']>> = {
  list: 'list',
  ls: 'list',
  sample: 'sample',
};

/** Reads the arguments after `distributions`. @throws ConfigError for anything that does not fit */
export async function readDistributionsArguments(host: Host, args: readonly string[]): Promise<DistributionsRequest> {
  const { resolved, given } = await readToolSections(host, args, { command: 'distributions', flags });
  const [word = '', target = '', stray] = resolved.positionals;
  const action = findAction(word, actions, 'distributions');
  checkTarget(action, target, stray);
  const { seed, rows, json } = given;
  return { action, target, seed, rows, isJson: json, resolved };
}

function checkTarget(action: DistributionsRequest['action'], target: string, stray: string | undefined): void {
  const extra = action === 'list' && target !== '' ? target : stray;
  if (extra !== undefined) {
    throw new ConfigError(`${JSON.stringify(extra)} belongs to no flag`, {
      code: 'config.stray-argument',
      hint: 'talaria distributions --help lists all flags.',
    });
  }
  if (action === 'list' || target !== '') return;
  throw new ConfigError('distributions sample needs the name of a distribution, or a file', {
    code: 'config.missing-argument',
    hint: 'For example: talaria distributions sample balanced --rows 20',
  });
}
