import { ConfigError, createDisposalStack, type JsonObject, type Logger } from '@talaria/core';
import {
  type DriverName,
  type Environment,
  environmentFailure,
  type ResolvedRunConfig,
  type RolloutIdentity,
  type ServerConfig,
} from '@talaria/environments';
import type { ChatModel } from '@talaria/model-client';
import type { ScriptedTurn } from '@talaria/model-client/testing';
import { unnamedModel } from './find-only-model.ts';
import type { Host } from './host.ts';
import { createModelPool } from './model-pool.ts';
import { describedServers, openServerModel } from './open-server-model.ts';

/** Who answers in a run. Dispose of it when the run is over. */
export interface ChosenModel<Item extends JsonObject> extends AsyncDisposable {
  /** Shown in every output. */
  readonly name: string;
  /** One model for all rollouts, or one made for each. */
  readonly model: ChatModel | ((identity: RolloutIdentity<Item>) => ChatModel);
  /** What the user should know about the choice; `null` where it was theirs. */
  readonly notice: string | null;
}

/** What a model is chosen from. */
export interface ModelRequest<Item extends JsonObject, Config> {
  readonly environment: Environment<Item, Config>;
  readonly driver: DriverName;
  readonly resolved: ResolvedRunConfig<Config>;
  readonly logger: Logger;
}

/** Name of the model that plays the reference solutions. */
const scriptedName = 'scripted';

/**
 * Chooses the model: the one that the configuration names; where it names none, and neither a key nor an address is
 * known, the scripted one, which plays the environment's reference solutions.
 * @throws ConfigError `config.missing-model`, `config.missing-key`, `config.unknown-provider`
 */
export async function chooseModel<Item extends JsonObject, Config>(
  host: Host,
  request: ModelRequest<Item, Config>,
): Promise<ChosenModel<Item>> {
  const { openai } = request.resolved.config;
  const [server] = openai;
  if (server === undefined) throw missingModel(request.environment.name);
  if (server.model_name === scriptedName) return chooseScripted(request.environment, null);
  if (openai.length === 1 && isUnconfigured(server)) {
    return chooseScripted(
      request.environment,
      'No model is configured: the scripted model plays the reference solutions. A real one: --model openai/gpt-4.1-mini with OPENAI_API_KEY set, or --model ollama/NAME.',
    );
  }
  return openServers(host, request);
}

function isUnconfigured({ model_name: name, base_url: baseUrl, api_key: key }: ServerConfig): boolean {
  return name === unnamedModel && baseUrl === null && (key === null || key === '');
}

async function chooseScripted<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  notice: string | null,
): Promise<ChosenModel<Item>> {
  if (environment.referenceTurns === undefined) throw missingModel(environment.name);
  const { scriptedModel } = await import('@talaria/model-client/testing');
  return {
    name: scriptedName,
    model: ({ item, sample }) => scriptedModel(readScript(environment, item, sample), { name: scriptedName }),
    notice,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** @throws TaskError `task.environment-failed` */
function readScript<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  item: Item,
  sample: number,
): readonly ScriptedTurn[] {
  try {
    const turns = environment.referenceTurns?.(item, sample) ?? [];
    if (!Array.isArray(turns)) throw new TypeError(`it gave a ${typeof turns}, which is no list of turns`);
    return turns;
  } catch (error) {
    throw environmentFailure(environment.name, 'referenceTurns', error);
  }
}

async function openServers<Item extends JsonObject, Config>(
  host: Host,
  { driver, resolved, logger }: ModelRequest<Item, Config>,
): Promise<ChosenModel<Item>> {
  const described = describedServers(resolved.describe());
  const opened: ChatModel[] = [];
  const stack = createDisposalStack({ logger });
  try {
    for (const [index, server] of resolved.config.openai.entries()) {
      const request = { server, described: described[index] ?? {}, driver, logger };
      opened.push(stack.use(await openServerModel(host, request)));
    }
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
  const [first, ...others] = opened;
  if (first === undefined) throw missingModel('the configuration');
  return {
    name: first.name,
    model: others.length === 0 ? first : createModelPool([first, ...others]),
    notice: null,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

function missingModel(environmentName: string): ConfigError {
  return new ConfigError(`${environmentName} has no reference solutions that the scripted model could play`, {
    code: 'config.missing-model',
    hint: 'Give the environment referenceTurns for it to play, or name a model: --model openai/gpt-4.1-mini with OPENAI_API_KEY set, --model ollama/NAME, or --base-url URL --model NAME.',
  });
}
