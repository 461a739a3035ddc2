import { expect, test } from '@jest/globals';
import { type JsonObject, silentLogger } from '@talaria/core';
import { type Environment, resolveRunConfig } from '@talaria/environments';
import type { ChatModel } from '@talaria/model-client';
import { createScriptedServer } from '@talaria/testing-services';
import { createFakeHost } from '../test/fake-host.ts';
import { type ChosenModel, chooseModel } from './choose-model.ts';

const environment: Environment = {
  name: 'sample',
  getNextItem: async () => null,
  formatPrompt: () => '',
  computeReward: async () => 0,
  referenceTurns: (item, sample) => [{ content: `${item['id']} ${sample}` }],
};
const { referenceTurns: _turns, ...withoutReference } = environment;

interface Request {
  readonly variables?: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  readonly yaml?: string;
  readonly environment?: Environment;
}

function choose(request: Request): Promise<ChosenModel<JsonObject>> {
  const { variables = {}, argv = [], yaml, environment: chosen = environment } = request;
  const resolved = resolveRunConfig({
    environment: chosen,
    driver: 'process',
    variables,
    argv,
    yaml: yaml === undefined ? undefined : { text: yaml, fileName: 'run.yaml' },
  });
  const host = createFakeHost({ variables });
  return chooseModel(host, { environment: chosen, driver: 'process', resolved, logger: silentLogger });
}

function modelOf({ model }: ChosenModel<JsonObject>): ChatModel {
  const identity = {
    item: { id: 'one' },
    itemKey: 'a:0',
    groupIndex: 0,
    sample: 1,
    attempt: 1,
    split: 'train',
  } as const;
  return typeof model === 'function' ? model(identity) : model;
}

async function answerOf(chosen: ChosenModel<JsonObject>): Promise<string | null> {
  const completion = await modelOf(chosen).complete({ messages: [{ role: 'user', content: 'hello' }] });
  return completion.message.content;
}

/** Options that shorten nothing: a request that fails for good is not sent again. */
const user = { messages: [{ role: 'user', content: 'hello' }] } as const;

test('without a key, an address and a name, the scripted model plays the reference, and says so', async () => {
  await using chosen = await choose({});
  expect([chosen.name, await answerOf(chosen)]).toEqual(['scripted', 'one 1']);
  expect(chosen.notice).toMatch(/No model is configured.*--model/);
});

test('named, it needs no notice, whatever else is configured', async () => {
  await using chosen = await choose({ argv: ['--model', 'scripted'], variables: { OPENAI_API_KEY: 'sk-something' } });
  expect([chosen.name, chosen.notice]).toEqual(['scripted', null]);
});

test('an environment without reference solutions needs them or a model, and the hint names both', async () => {
  for (const argv of [[], ['--model', 'scripted']]) {
    await expect(choose({ environment: withoutReference, argv })).rejects.toMatchObject({
      code: 'config.missing-model',
      hint: expect.stringMatching(/referenceTurns.*--model/),
    });
  }
});

test('a key alone names no model', async () => {
  await expect(choose({ variables: { OPENAI_API_KEY: 'sk-something' } })).rejects.toMatchObject({
    code: 'config.missing-model',
  });
});

test('a provider that needs a key says which variable holds it', async () => {
  await expect(choose({ argv: ['--model', 'groq/llama'] })).rejects.toMatchObject({
    code: 'config.missing-key',
    message: expect.stringContaining('GROQ_API_KEY'),
  });
});

test('a key of one provider is never sent to another', async () => {
  const variables = { OPENAI_API_KEY: 'sk-of-openai' };
  await expect(choose({ argv: ['--model', 'groq/llama'], variables })).rejects.toMatchObject({
    code: 'config.missing-key',
  });
});

test('an unknown provider is refused with the nearest one', async () => {
  await expect(choose({ argv: ['--model', 'olama/qwen3'] })).rejects.toMatchObject({
    code: 'config.unknown-provider',
    hint: expect.stringContaining('ollama/qwen3'),
  });
});

test('OPENAI_BASE_URL and OPENAI_API_KEY lead to a server, which gets the name as it is', async () => {
  await using server = await createScriptedServer({ apiKey: 'the-right-key' });
  const variables = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'the-right-key' };
  await using chosen = await choose({ variables, argv: ['--model', 'Vendor/Model-7B'] });
  expect([chosen.name, await answerOf(chosen)]).toEqual(['Vendor/Model-7B', 'Hello from the script.']);
  expect(server.requests[0]?.body).toMatchObject({ model: 'Vendor/Model-7B' });
});

test('a wrong key fails at once, and is not shown', async () => {
  await using server = await createScriptedServer({ apiKey: 'the-right-key' });
  const variables = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'a-very-wrong-key' };
  await using chosen = await choose({ variables, argv: ['--model', 'some'] });
  const failure = await modelOf(chosen)
    .complete(user)
    .then(
      () => null,
      (error: unknown) => error,
    );
  expect(failure).toMatchObject({ status: 401, attempts: 1, hint: expect.stringContaining('OPENAI_API_KEY') });
  expect(String(failure)).not.toContain('a-very-wrong-key');
});

test('several servers of a file share the requests', async () => {
  await using left = await createScriptedServer();
  await using right = await createScriptedServer();
  const entry = (baseUrl: string): string => `  - { base_url: "${baseUrl}", model_name: shared }\n`;
  await using chosen = await choose({ yaml: `openai:\n${entry(left.baseUrl)}${entry(right.baseUrl)}` });
  const model = modelOf(chosen);
  await Promise.all([model.complete(user), model.complete(user)]);
  expect([left.requests.length, right.requests.length]).toEqual([1, 1]);
});
