import { describe, expect, test } from '@jest/globals';
import { createBuiltinRegistry } from '@talaria/tools';
import {
  type AskUser,
  createStoreTools,
  createTransientMemoryStore,
  createTransientSessionStore,
  createTransientSkillStore,
  type StoreToolsOptions,
} from '@talaria/tools/stores';
import { createTestDispatcher, type TestDispatcher } from '@talaria/tools/testing';

const toolsets = ['memory', 'session_search', 'skills', 'clarify'];

function openTools(options: Partial<StoreToolsOptions> = {}): TestDispatcher {
  const stores = {
    memory: createTransientMemoryStore(),
    sessions: createTransientSessionStore(),
    skills: createTransientSkillStore(),
    askUser: async () => 'yes',
  };
  const registry = createBuiltinRegistry(createStoreTools({ tenant: 'tenant', ...stores, ...options }));
  return createTestDispatcher({ view: registry.view({ enabled: toolsets, allowMissingTools: true }) });
}

describe('the tools of stores', () => {
  test('are offered only where they are asked for and have what they need', () => {
    const full = createStoreTools({
      tenant: 't',
      memory: createTransientMemoryStore(),
      sessions: createTransientSessionStore(),
      skills: createTransientSkillStore(),
      askUser: async () => null,
    });
    const names = ['clarify', 'memory', 'session_search', 'skill_manage', 'skill_view', 'skills_list'];
    const byDefault = createBuiltinRegistry(full).view().names;
    expect(names.filter((name) => byDefault.has(name))).toEqual([]);
    expect([...createBuiltinRegistry(full).view({ enabled: toolsets }).names].sort()).toEqual(names);
    const bare = createBuiltinRegistry(createStoreTools({ tenant: 't' }));
    expect(() => bare.view({ enabled: ['clarify'] })).toThrow(/there is no user to ask/);
    expect(() => bare.view({ enabled: ['skills'] })).toThrow(/no store for skills is configured/);
  });

  test.each([
    ['', {}],
    ['a\0b', {}],
    ['a', { askTimeoutMs: 0 }],
    ['a', { memoryLimits: { memory: 0, user: 1 } }],
  ])('refuse the tenant %j with %j', (tenant, options) => {
    expect(() => createStoreTools({ tenant, ...options })).toThrow(expect.objectContaining({ code: 'config.invalid' }));
  });
});

test('stores may be of one rollout, and tenants told by it', async () => {
  const shared = createTransientMemoryStore();
  const open = (options: Partial<StoreToolsOptions>, rolloutId: string): TestDispatcher => {
    const registry = createBuiltinRegistry(createStoreTools({ tenant: 'tenant', ...options }));
    return createTestDispatcher({ view: registry.view({ enabled: ['memory', 'skills'] }), rolloutId });
  };
  const add = { action: 'add', target: 'user', content: 'note' };
  for (const options of [
    { memory: 'per-rollout', skills: 'per-rollout' },
    { memory: shared, skills: 'per-rollout', tenant: ({ rolloutId }: { readonly rolloutId: string }) => rolloutId },
  ] as const) {
    await using first = open(options, 'r1');
    await using second = open(options, 'r2');
    await first.callJson('memory', add);
    const again = await first.callJson('memory', { ...add, content: 'more' });
    expect(again['entries']).toEqual(['note', 'more']);
    expect((await second.callJson('memory', add))['entries']).toEqual(['note']);
    const content = '---\nname: x\ndescription: d\n---\nbody';
    await first.callJson('skill_manage', { action: 'create', name: 'x', content });
    expect(await first.callJson('skills_list', {})).toMatchObject({ count: 1 });
    expect(await second.callJson('skills_list', {})).toMatchObject({ count: 0 });
  }
  expect(await shared.read('r1', 'user')).toEqual(['note', 'more']);
});

describe('memory', () => {
  test('adds, replaces and removes, and shows what there is and how full it is', async () => {
    await using tools = openTools();
    expect(await tools.callJson('memory', { action: 'add', target: 'memory', content: ' likes tea ' })).toEqual({
      success: true,
      target: 'memory',
      entries: ['likes tea'],
      usage: '0% (9/2,200 chars)',
      entry_count: 1,
      message: 'Entry added.',
    });
    await tools.callJson('memory', { action: 'add', target: 'memory', content: 'x'.repeat(1_088) });
    const replaced = await tools.callJson('memory', {
      action: 'replace',
      target: 'memory',
      old_text: 'tea',
      content: 'likes coffee',
    });
    expect(replaced).toMatchObject({ entries: ['likes coffee', 'x'.repeat(1_088)], usage: '50% (1,103/2,200 chars)' });
    expect(await tools.callJson('memory', { action: 'remove', target: 'memory', old_text: 'coffee' })).toMatchObject({
      entries: ['x'.repeat(1_088)],
      message: 'Entry removed.',
    });
    expect(await tools.callJson('memory', { action: 'add', target: 'user', content: 'a' })).toMatchObject({
      usage: '0% (1/1,375 chars)',
    });
  });

  test('adds no entry twice', async () => {
    await using tools = openTools();
    await tools.callJson('memory', { action: 'add', target: 'user', content: 'same' });
    const again = await tools.callJson('memory', { action: 'add', target: 'user', content: 'same\n' });
    expect(again).toMatchObject({ success: true, entries: ['same'], message: expect.stringContaining('not added') });
    await tools.callJson('memory', { action: 'add', target: 'user', content: 'other' });
    const merged = await tools.call('memory', {
      action: 'replace',
      target: 'user',
      old_text: 'other',
      content: 'same',
    });
    expect(merged.errorKind).toBe('invalid_args');
  });

  test.each([
    [{ action: 'add', target: 'user' }, 'invalid_args', 'content is needed'],
    [{ action: 'add', target: 'user', content: ' \n' }, 'invalid_args', 'content is needed'],
    [{ action: 'replace', target: 'user', content: 'x' }, 'invalid_args', 'old_text is needed'],
    [{ action: 'replace', target: 'user', old_text: 'one' }, 'invalid_args', 'use remove'],
    [{ action: 'remove', target: 'user', old_text: 'three' }, 'not_found', 'No entry holds'],
    [{ action: 'remove', target: 'user', old_text: 'note' }, 'invalid_args', '2 entries hold'],
    [{ action: 'add', target: 'user', content: 'y'.repeat(1_355) }, 'too_large', '1377 of 1375'],
    [{ action: 'replace', target: 'user', old_text: 'one', content: 'y'.repeat(5_000_000) }, 'too_large', 'of 1375'],
    [{ action: 'add', target: 'elsewhere', content: 'x' }, 'invalid_args', 'target'],
    [{ action: 'add', target: 'user', content: ['x'] }, 'invalid_args', 'content'],
    [{ action: 7, target: null }, 'invalid_args', 'action'],
    [{}, 'invalid_args', 'action'],
  ])('refuses %#', async (args, errorKind, message) => {
    await using tools = openTools();
    await tools.call('memory', { action: 'add', target: 'user', content: 'note one' });
    await tools.call('memory', { action: 'add', target: 'user', content: 'note two' });
    const outcome = await tools.call('memory', args);
    expect(outcome).toMatchObject({ isError: true, errorKind, content: expect.stringContaining(message) });
    const state = await tools.callJson('memory', { action: 'add', target: 'user', content: 'note one' });
    expect(state['entries']).toEqual(['note one', 'note two']);
  });

  test('keeps tenants apart in one store', async () => {
    const memory = createTransientMemoryStore();
    await using first = openTools({ memory, tenant: 'first' });
    await using second = openTools({ memory, tenant: 'second' });
    await first.call('memory', { action: 'add', target: 'user', content: 'secret' });
    const outcome = await second.call('memory', { action: 'remove', target: 'user', old_text: 'secret' });
    expect(outcome.errorKind).toBe('not_found');
    expect(await second.callJson('memory', { action: 'add', target: 'user', content: 'mine' })).toMatchObject({
      entries: ['mine'],
    });
  });
});

describe('session_search', () => {
  async function withSessions(): Promise<TestDispatcher> {
    const sessions = createTransientSessionStore();
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    await sessions.append('tenant', 'one', [
      { role: 'user', content: 'How do I deploy the server?', at },
      { role: 'assistant', content: 'Deploy it with make deploy.', at: at + 1_000 },
    ]);
    await sessions.append('tenant', 'now', [{ role: 'user', content: 'deploy again', at: at + 5_000 }]);
    await sessions.append('another', 'two', [{ role: 'user', content: 'deploy elsewhere', at }]);
    return openTools({ sessions, currentSession: 'now' });
  }

  test('finds what was said, and by whom', async () => {
    await using tools = await withSessions();
    expect(await tools.callJson('session_search', { query: 'deploy' })).toEqual({
      success: true,
      query: 'deploy',
      results: [
        {
          session_id: 'one',
          time: '2026-01-02T03:04:06.000Z',
          role: 'assistant',
          snippet: 'Deploy it with make deploy.',
        },
      ],
      count: 1,
    });
    const byUser = await tools.callJson('session_search', { query: 'deploy', role_filter: ' User, tool ' });
    expect(byUser['results']).toMatchObject([{ role: 'user' }]);
    expect(await tools.callJson('session_search', { query: 'nothing' })).toMatchObject({ success: true, results: [] });
  });

  test('without a query tells of the latest sessions', async () => {
    await using tools = await withSessions();
    expect(await tools.callJson('session_search', {})).toEqual({
      success: true,
      mode: 'recent',
      results: [
        {
          session_id: 'one',
          started_at: '2026-01-02T03:04:05.000Z',
          last_active: '2026-01-02T03:04:06.000Z',
          message_count: 2,
          preview: 'How do I deploy the server?',
        },
      ],
      count: 1,
    });
  });

  test.each([
    [{ query: '"*^()' }, 'holds no word'],
    [{ query: 'x', role_filter: 'user,root' }, 'role_filter names \\"root\\"'],
    [{ query: 'x'.repeat(1_001) }, 'query'],
    [{ query: 'x', limit: 0 }, 'limit'],
    [{ query: { match: 'x' } }, 'query'],
  ])('refuses %#', async (args, message) => {
    await using tools = await withSessions();
    const outcome = await tools.call('session_search', args);
    expect(outcome).toMatchObject({ errorKind: 'invalid_args', content: expect.stringContaining(message) });
  });
});

describe('clarify', () => {
  test('asks, and gives the answer with what was offered', async () => {
    const asked: unknown[] = [];
    const askUser: AskUser = async (question) => {
      asked.push(question);
      return ' the second ';
    };
    await using tools = openTools({ askUser });
    expect(await tools.callJson('clarify', { question: 'Which?', choices: ['one', ' two '] })).toEqual({
      question: 'Which?',
      choices_offered: ['one', 'two'],
      user_response: 'the second',
    });
    expect(await tools.callJson('clarify', { question: 'What?' })).toMatchObject({ choices_offered: null });
    expect(asked).toEqual([
      { question: 'Which?', choices: ['one', 'two'] },
      { question: 'What?', choices: null },
    ]);
  });

  test('says so where there is no answer or too many choices', async () => {
    await using tools = openTools({ askUser: async () => null });
    expect((await tools.call('clarify', { question: 'What?' })).errorKind).toBe('not_available');
    expect((await tools.call('clarify', { question: ' ' })).errorKind).toBe('invalid_args');
    const choices = ['1', '2', '3', '4', '5'];
    expect((await tools.call('clarify', { question: 'What?', choices })).errorKind).toBe('invalid_args');
  });

  test('stops waiting for the user when the rollout is aborted', async () => {
    const stop = new AbortController();
    const reason = new Error('stop');
    const askUser: AskUser = (_question, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        stop.abort(reason);
      });
    await using tools = openTools({ askUser });
    await expect(tools.call('clarify', { question: 'What?' }, stop.signal)).rejects.toBe(reason);
  });
});
