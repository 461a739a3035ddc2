import { expect, test } from '@jest/globals';
import type { OpenPlace } from './open-place.ts';

/** Declares what `todo` must do beside every backend. */
export function declareTodoCases(open: OpenPlace): void {
  test('the list stays within a rollout, and ends with it', async () => {
    await using place = await open();
    const list = [
      { id: '1', content: 'look', status: 'completed' },
      { id: '2', content: 'change', status: 'in_progress' },
    ];
    await place.tools.callJson('todo', { todos: list });
    await place.tools.call('terminal', { command: 'true' });
    expect(await place.tools.callJson('todo', { todos: [{ id: '2', status: 'completed' }], merge: true })).toEqual({
      todos: [list[0], { ...list[1], status: 'completed' }],
      summary: { total: 2, pending: 0, in_progress: 0, completed: 2, cancelled: 0 },
    });
    await using other = await open();
    expect(await other.tools.callJson('todo', {})).toMatchObject({ todos: [], summary: { total: 0 } });
  });
}
