import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@talaria/core';
import { type Script, type ScriptedTurn, scriptedModel } from '@talaria/model-client/testing';
import { createFakeBackend } from '@talaria/terminal-backends/testing';
import { createToolRegistry, defineTool } from '@talaria/tools';
import {
  type DriverOptions,
  defineEnvironment,
  type Environment,
  type EnvironmentConfig,
  resolveRunConfig,
} from '../src/index.ts';

/** An item: the model is to say its number. */
export interface NumberItem extends JsonObject {
  readonly id: string;
  readonly number: number;
}

/** `count` items with the numbers from 0 on. */
export function numberItems(count: number): readonly NumberItem[] {
  return Array.from({ length: count }, (_, number) => ({ id: `n${number}`, number }));
}

/** An environment whose reward is 1 where the last message is the item's number. */
export function numbers(changes: Partial<Environment<NumberItem, EnvironmentConfig>> = {}): Environment<NumberItem> {
  return defineEnvironment<NumberItem>({
    name: 'numbers',
    isLocalSafe: true,
    items: numberItems(3),
    formatPrompt: ({ number }) => `Say ${number}.`,
    computeReward: async ({ number }, { messages }) => (messages.at(-1)?.content === String(number) ? 1 : 0),
    ...changes,
  });
}

/** Answers the number of the prompt. */
export const obedient: Script = ({ messages }) => ({ content: promptNumber(messages) });

/** The number that the user's message asks for. */
export function promptNumber(messages: readonly { readonly content: unknown }[]): string {
  return /\d+/u.exec(String(messages[0]?.content))?.[0] ?? '';
}

/** A registry with one tool that needs no sandbox, and one that opens it. */
export const registry = createToolRegistry({
  tools: [
    defineTool({
      name: 'echo',
      description: 'Says it back.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      toolset: 'test',
      sideEffect: 'none',
      execute: async (args) => ({ text: args['text'] ?? null }),
    }),
    defineTool({
      name: 'touch',
      description: 'Opens the sandbox.',
      parameters: { type: 'object', properties: {} },
      toolset: 'test',
      sideEffect: 'sandbox',
      execute: async (_args, context) => ({ home: (await context.sandbox()).home }),
    }),
  ],
});

/** A temporary folder that is removed when disposed of. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'talaria-environments-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** What a test changes of {@link driverOptions}. */
export interface HarnessOptions<Config> {
  readonly folder: string;
  readonly driver?: 'process' | 'evaluate';
  readonly argv?: readonly string[];
  readonly script?: Script;
  readonly changes?: Partial<DriverOptions<NumberItem, Config>>;
}

/** Options of a driver over a fake backend, with a run folder `run` in the given folder. */
export function driverOptions<Config = EnvironmentConfig>(
  environment: Environment<NumberItem, Config>,
  { folder, driver = 'process', argv = [], script = obedient, changes = {} }: HarnessOptions<Config>,
): DriverOptions<NumberItem, Config> {
  const resolved = resolveRunConfig({
    environment,
    driver,
    variables: {},
    argv: ['--steps', '3', '--group-size', '2', ...argv].filter((_word, index) => driver === 'process' || index > 3),
  });
  return {
    config: resolved.config,
    describedConfig: resolved.describe(),
    model: scriptedModel(script),
    backend: createFakeBackend(),
    registry,
    baseFolder: folder,
    runFolder: join(folder, 'run'),
    versions: { talaria: '0.0.0', node: '0.0.0' },
    ...changes,
  };
}

/** The lines of a JSONL file, parsed. */
export async function readRows(path: string | null): Promise<readonly JsonObject[]> {
  const text = path === null ? '' : await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): JsonObject => JSON.parse(line));
}

/** A turn that calls one tool. */
export function callTool(name: string, args: Readonly<Record<string, unknown>> = {}): ScriptedTurn {
  return { content: null, toolCalls: [{ name, arguments: args }] };
}
