import { describe, expect, test } from '@jest/globals';
import { createTestDispatcher } from '../testing/index.ts';
import { mergeTodos, renderOpenTodos, replaceTodos, summarizeTodos } from './todo-list.ts';

const list = replaceTodos([
  { id: '1', content: 'one', status: 'completed' },
  { id: '2', content: 'two', status: 'in_progress' },
]);

describe('replaceTodos', () => {
  test.each([
    [
      'trims and lower-cases',
      [{ id: ' a ', content: ' x ', status: ' COMPLETED ' }],
      [{ id: 'a', content: 'x', status: 'completed' }],
    ],
    [
      'an unknown status is pending',
      [{ id: 'a', content: 'x', status: 'done' }],
      [{ id: 'a', content: 'x', status: 'pending' }],
    ],
    ['no content has a placeholder', [{ id: 'a' }], [{ id: 'a', content: '(no description)', status: 'pending' }]],
    [
      'missing ids get the next free number',
      [{ content: 'x' }, { id: '1', content: 'y' }, { content: 'z' }],
      [
        { id: '2', content: 'x', status: 'pending' },
        { id: '1', content: 'y', status: 'pending' },
        { id: '3', content: 'z', status: 'pending' },
      ],
    ],
    [
      'the last of two with one id wins at the first place',
      [
        { id: 'a', content: 'x' },
        { id: 'b', content: 'y' },
        { id: 'a', content: 'z' },
      ],
      [
        { id: 'a', content: 'z', status: 'pending' },
        { id: 'b', content: 'y', status: 'pending' },
      ],
    ],
    ['nothing', [], []],
  ])('%s', (_what, entries, expected) => {
    expect(replaceTodos(entries)).toEqual(expected);
  });

  test('keeps at most 200 items of 1,000 characters', () => {
    const many = replaceTodos(Array.from({ length: 300 }, () => ({ content: 'x'.repeat(2_000) })));
    expect(many).toHaveLength(200);
    expect(many[0]?.content).toHaveLength(1_000);
  });
});

describe('mergeTodos', () => {
  test.each([
    ['only given fields change', [{ id: '1', status: 'cancelled' }], ['1 one cancelled', '2 two in_progress']],
    ['an empty content changes nothing', [{ id: '1', content: ' ' }], ['1 one completed', '2 two in_progress']],
    ['an invalid status changes nothing', [{ id: '2', status: 'soon' }], ['1 one completed', '2 two in_progress']],
    [
      'new ids are appended',
      [{ id: '3', content: 'three' }],
      ['1 one completed', '2 two in_progress', '3 three pending'],
    ],
    ['entries without an id are left out', [{ content: 'four' }], ['1 one completed', '2 two in_progress']],
  ])('%s', (_what, entries, expected) => {
    const merged = mergeTodos(list, entries);
    expect(merged.map(({ id, content, status }) => `${id} ${content} ${status}`)).toEqual(expected);
  });
});

test('summary and open items', () => {
  expect(summarizeTodos(list)).toEqual({ total: 2, pending: 0, in_progress: 1, completed: 1, cancelled: 0 });
  expect(renderOpenTodos([...list, ...replaceTodos([{ id: '3', content: 'three' }])])).toBe('[>] 2. two\n[ ] 3. three');
});

test('the tool keeps the list of its rollout, and reads it without todos', async () => {
  await using tools = createTestDispatcher();
  await using others = createTestDispatcher();
  await tools.call('todo', { todos: [{ id: '1', content: 'one', status: 'pending' }] });
  await tools.call('todo', { merge: true, todos: [{ id: '1', status: 'completed' }] });
  expect((await tools.call('todo', {})).content).toBe(
    '{"todos":[{"id":"1","content":"one","status":"completed"}],"summary":{"total":1,"pending":0,"in_progress":0,"completed":1,"cancelled":0}}',
  );
  expect((await others.callJson('todo', {}))['todos']).toEqual([]);
});
