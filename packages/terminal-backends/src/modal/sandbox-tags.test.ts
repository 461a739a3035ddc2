import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSameSandbox, readTags, writeTags } from './sandbox-tags.ts';

const owner = {
  host: 'build-7.example.org',
  bootId: '6b1f1b3a-3d5c-4c59-9a2d-0b5f6d1b2c3d',
  pidNamespace: 'pid:[4026531836]',
  pid: 4_194_304,
  startMark: 'Mon Nov 30 05:08:42 2026',
};
const marks = { name: 'talaria-task_0123', taskId: 'task 1', runId: 'run/1', owner, createdAt: 1, expiresAt: 2 };

describe('tags of a sandbox', () => {
  test('are read as they were written', () => {
    const { runId, ...told } = marks;
    expect(readTags(writeTags(marks))).toEqual(told);
    expect(writeTags(marks)['talaria-run']).toBe('run_2f1');
    expect(runId).toBe('run/1');
  });

  test('hold only what every service takes, whatever the task is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ unit: 'binary' }), (taskId, host) => {
        const tags = writeTags({ ...marks, taskId, owner: { ...owner, host } });
        for (const tag of Object.values(tags)) expect(tag).toMatch(/^[A-Za-z0-9._-]{0,63}$/);
        const text = Buffer.from(taskId).toString();
        const read = readTags(tags).taskId;
        expect(text.startsWith(read.replace(/\ufffd+$/, ''))).toBe(true);
        if (/^[a-z0-9-]{0,63}$/.test(taskId)) expect(read).toBe(taskId);
      }),
    );
  });

  test('of somebody else tell what can be told', () => {
    expect(readTags({})).toEqual({ name: '', taskId: '', owner: null, createdAt: null, expiresAt: null });
    expect(readTags({ ...writeTags(marks), 'talaria-process': 'x.1', 'talaria-expires': '-1' })).toMatchObject({
      owner: null,
      expiresAt: null,
    });
  });

  test('tell one sandbox from another', () => {
    const tags = writeTags(marks);
    expect(isSameSandbox({ ...tags, more: '1' }, tags)).toBe(true);
    expect(isSameSandbox(writeTags({ ...marks, createdAt: 3 }), tags)).toBe(false);
    expect(isSameSandbox({}, tags)).toBe(false);
  });
});
