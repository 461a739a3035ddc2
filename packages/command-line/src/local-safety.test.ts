import { expect, test } from '@jest/globals';
import { checkLocalSafety } from './local-safety.ts';

const request = { environmentName: 'mine', isLocalSafe: false, backend: 'local', allowLocal: false };

test('nothing runs on this machine that nobody allowed', () => {
  expect(() => checkLocalSafety(request)).toThrow(
    expect.objectContaining({ code: 'config.local-not-allowed', hint: expect.stringContaining('--allow-local') }),
  );
});

test('what is allowed is warned of', () => {
  expect(checkLocalSafety({ ...request, allowLocal: true })).toMatch(/without a container/);
});

test('a harmless environment, and a container, need no leave', () => {
  expect(checkLocalSafety({ ...request, isLocalSafe: true })).toBeNull();
  expect(checkLocalSafety({ ...request, backend: 'docker' })).toBeNull();
});
