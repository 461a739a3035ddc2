import { expect, test } from '@jest/globals';
import { earlierSettings, withoutSettingVariables } from './earlier-settings.ts';

/** Written so that no tool takes it for a template of JavaScript. */
const named = (name: string): string => `\${${name}}`;

const earlier = {
  terminal: {
    backend: 'ssh',
    ssh: { host: 'box', password: named('THE_PASSWORD') },
    daytona: { api_key: named('THE_KEY'), target: 'eu' },
  },
};

function settingsWith(variables: Readonly<Record<string, string>>) {
  return earlierSettings({ earlier, defaults: {}, present: {}, variables });
}

test('a secret of a backend is named again where its variable is set', () => {
  expect(settingsWith({ THE_PASSWORD: 'a', THE_KEY: 'b' })).toEqual({
    terminal: {
      backend: 'ssh',
      ssh: { host: 'box', password: named('THE_PASSWORD') },
      daytona: { api_key: named('THE_KEY'), target: 'eu' },
    },
  });
});

test('where it is gone, it is found anew, and its name is not taken for the secret', () => {
  expect(settingsWith({})).toEqual({
    terminal: { backend: 'ssh', ssh: { host: 'box' }, daytona: { target: 'eu' } },
  });
});

test('variables that set something count no more; those that hold secrets do', () => {
  const kept = { TALARIA_TERMINAL_SSH_PASSWORD: 'a', TALARIA_TERMINAL_DAYTONA_API_KEY: 'b', TERMINAL_ENV: 'ssh' };
  expect(withoutSettingVariables({ ...kept, TALARIA_TERMINAL_BACKEND: 'local' })).toEqual(kept);
});
