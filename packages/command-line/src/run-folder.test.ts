import { expect, test } from '@jest/globals';
import { createFakeHost } from '../test/fake-host.ts';
import { chooseRunFolder } from './run-folder.ts';
import { stateFolder } from './state-folder.ts';

const host = createFakeHost({ cwd: '/home/ada', homeFolder: '/home/me' });
const request = { driver: 'process', environmentName: 'chess', output: null, resume: null } as const;

test('a run lives in a folder named after its environment and the time', () => {
  expect(chooseRunFolder(host, request)).toMatch(/^\/home\/ada\/runs\/chess\/2026-01-01T00-00-00Z-[0-9a-f]{6}$/);
  expect(chooseRunFolder(host, request)).not.toBe(chooseRunFolder(host, request));
  expect(chooseRunFolder(host, { ...request, driver: 'evaluate' })).toMatch(/^\/home\/ada\/evals\/chess\/2026-01-01T/);
});

test('or where the user says', () => {
  expect(chooseRunFolder(host, { ...request, output: 'here' })).toBe('/home/ada/here');
  expect(chooseRunFolder(host, { ...request, resume: '~/there' })).toBe('/home/me/there');
});

test('a new folder and an old one at once are refused', () => {
  expect(() => chooseRunFolder(host, { ...request, output: 'a', resume: 'b' })).toThrow('--output and --resume');
});

test.each<[Record<string, string>, string]>([
  [{}, '/home/me/.local/state/talaria'],
  [{ XDG_STATE_HOME: '/state' }, '/state/talaria'],
  [{ XDG_STATE_HOME: 'relative' }, '/home/me/.local/state/talaria'],
  [{ TERMINAL_SANDBOX_DIR: '~/boxes', XDG_STATE_HOME: '/state' }, '/home/me/boxes'],
  [{ TERMINAL_SANDBOX_DIR: 'boxes' }, '/home/ada/boxes'],
])('state lives where the variables say: %p', (variables, folder) => {
  expect(stateFolder(createFakeHost({ cwd: '/home/ada', homeFolder: '/home/me', variables }))).toBe(folder);
});
