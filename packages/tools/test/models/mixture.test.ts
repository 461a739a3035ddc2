import { expect, test } from '@jest/globals';
import { type JsonObject, ModelError } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { createBuiltinRegistry, type ToolCallOutcome } from '@talaria/tools';
import { createModelTools, type MixtureModels, type ToolModel } from '@talaria/tools/models';
import { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from '@talaria/tools/testing';
import { createScriptedToolModel, type ScriptedToolModel } from './scripted-tool-model.ts';

function openTools(mixture: MixtureModels, options: TestDispatcherOptions = {}): TestDispatcher {
  const registry = createBuiltinRegistry(createModelTools({ mixture }));
  return createTestDispatcher({ ...options, view: registry.view({ enabled: ['moa'] }) });
}

const args = { user_prompt: 'How many?' };

function model(name: string, text: string): ScriptedToolModel {
  return createScriptedToolModel(name, () => text);
}

function failing(name: string, error: unknown): ToolModel {
  return createScriptedToolModel(name, () => {
    throw error;
  });
}

/** Never answers, and hears no signal. */
function deaf(name: string, onAsk: () => void = () => undefined): ToolModel {
  return createScriptedToolModel(name, () => {
    onAsk();
    return new Promise<string>(() => undefined);
  });
}

function resultOf(outcome: ToolCallOutcome): JsonObject {
  return JSON.parse(outcome.content);
}

test('proposers answer at the same time and the aggregator makes one answer of theirs', async () => {
  const arrived: string[] = [];
  let release: (() => void) | undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  const meeting = (name: string): ScriptedToolModel =>
    createScriptedToolModel(name, async () => {
      arrived.push(name);
      // Answers only once the other was asked, too.
      if (arrived.length === 2) release?.();
      await all;
      return `${name} says 7`;
    });
  const proposers = [meeting('a'), meeting('b')];
  const aggregator = model('sum', 'Seven.');
  await using tools = openTools({ proposers, aggregator });
  expect(await tools.callJson('mixture_of_agents', args)).toEqual({
    success: true,
    response: 'Seven.',
    models_used: { reference_models: ['a', 'b'], aggregator_model: 'sum' },
  });
  expect(proposers[0]?.asked).toEqual([{ messages: [{ role: 'user', content: 'How many?' }], temperature: 0.6 }]);
  const [asked] = aggregator.asked;
  expect(asked?.temperature).toBe(0.4);
  expect(asked?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(asked?.messages[0]?.content).toContain('<proposal number="1">\na says 7\n</proposal>');
  expect(asked?.messages[0]?.content).toContain('<proposal number="2">\nb says 7\n</proposal>');
  expect(asked?.messages[1]?.content).toBe('How many?');
});

test('proposers that fail are told and left out', async () => {
  const refused = new ModelError('http://x answered with status 401', { code: 'model.unauthorized' });
  const proposers = [failing('a', refused), model('b', 'b says'), model('c', ' \n'), failing('d', 'thrown text')];
  const aggregator = model('sum', 'One.');
  await using tools = openTools({ proposers, aggregator });
  expect(await tools.callJson('mixture_of_agents', args)).toEqual({
    success: true,
    response: 'One.',
    models_used: { reference_models: ['b'], aggregator_model: 'sum' },
    failed_models: [
      { model: 'a', error: 'a failed: http://x answered with status 401. Go on without it.' },
      { model: 'c', error: 'c answered nothing.' },
      { model: 'd', error: 'd failed: thrown text' },
    ],
  });
  expect(aggregator.asked[0]?.messages[0]?.content).not.toContain('number="2"');
});

test('with fewer proposals than needed the aggregator is not asked', async () => {
  const aggregator = model('sum', 'One.');
  const proposers = [model('a', 'a says'), failing('b', new Error('down'))];
  await using tools = openTools({ proposers, aggregator, minProposals: 2 });
  const outcome = await tools.call('mixture_of_agents', args);
  expect(outcome.errorKind).toBe('network');
  expect(resultOf(outcome)).toMatchObject({
    success: false,
    error: expect.stringContaining('1 of 2 models answered, 2 must'),
    failed_models: [{ model: 'b', error: 'b failed: down' }],
  });
  expect(aggregator.asked).toEqual([]);
});

test('an aggregator that answers nothing is asked once more, one that fails is told', async () => {
  let count = 0;
  const second = createScriptedToolModel('sum', () => {
    count += 1;
    return count === 1 ? '' : 'At last.';
  });
  const proposers = [model('a', 'a says')];
  await using patient = openTools({ proposers, aggregator: second });
  expect(await patient.callJson('mixture_of_agents', args)).toMatchObject({ response: 'At last.' });
  const mute = model('sum', '');
  await using silent = openTools({ proposers, aggregator: mute });
  expect((await silent.call('mixture_of_agents', args)).errorKind).toBe('network');
  expect(mute.asked).toHaveLength(2);
  const down = new ModelError('no answer', { code: 'model.connection', retryable: true });
  await using broken = openTools({ proposers, aggregator: failing('sum', down) });
  const outcome = await broken.call('mixture_of_agents', args);
  expect(outcome.errorKind).toBe('network');
  expect(resultOf(outcome)).toMatchObject({ success: false, models_used: { reference_models: ['a'] } });
});

test('a proposer that does not answer in time holds up nobody, even if it hears no signal', async () => {
  const clock = createManualClock();
  const proposers = [deaf('slow'), model('b', 'b says')];
  await using tools = openTools({ proposers, aggregator: model('sum', 'One.'), modelTimeoutMs: 5_000 }, { clock });
  const outcome = tools.call('mixture_of_agents', args);
  await clock.advance(5_000);
  expect(resultOf(await outcome)).toMatchObject({
    success: true,
    failed_models: [{ model: 'slow', error: 'slow did not answer within 5 s.' }],
  });
  expect(clock.pendingCount).toBe(0);
});

test('an aggregator that does not answer in time is a time-out', async () => {
  const clock = createManualClock();
  const mixture = { proposers: [model('a', 'a says')], aggregator: deaf('sum'), modelTimeoutMs: 5_000 };
  await using tools = openTools(mixture, { clock });
  const outcome = tools.call('mixture_of_agents', args);
  await clock.advance(5_000);
  expect(await outcome).toMatchObject({ errorKind: 'timeout' });
  expect(clock.pendingCount).toBe(0);
});

test('an abort stops proposers and aggregator, and passes through', async () => {
  const reason = new Error('stop');
  const early = new AbortController();
  await using first = openTools({ proposers: [deaf('a', () => early.abort(reason))], aggregator: model('sum', 'x') });
  await expect(first.call('mixture_of_agents', args, early.signal)).rejects.toBe(reason);
  const late = new AbortController();
  const aggregator = deaf('sum', () => late.abort(reason));
  await using second = openTools({ proposers: [model('a', 'a says')], aggregator });
  await expect(second.call('mixture_of_agents', args, late.signal)).rejects.toBe(reason);
});

test('the tools of models are hidden where their model is missing, and never part of the default', () => {
  const bare = createBuiltinRegistry(createModelTools());
  for (const [toolset, reason] of [
    ['vision', /no model that looks at images/],
    ['image_gen', /no model that makes images/],
    ['moa', /no models for a mixture/],
  ] as const) {
    expect(() => bare.view({ enabled: [toolset] })).toThrow(reason);
  }
  const mixture = { proposers: [model('a', 'x')], aggregator: model('sum', 'x') };
  const full = createBuiltinRegistry(createModelTools({ vision: model('eye', 'x'), mixture }));
  expect(full.view().names.has('mixture_of_agents')).toBe(false);
  expect(full.view().names.has('vision_analyze')).toBe(false);
  expect(() => createModelTools({ mixture: { ...mixture, minProposals: 2 } })).toThrow(
    expect.objectContaining({ code: 'config.invalid' }),
  );
});
