import { expect, test } from '@jest/globals';
import { ConfigError, SandboxError } from '@talaria/core';
import { defaultImage } from '@talaria/environments';
import { explainPreflight } from './explain-preflight.ts';
import { exitReasonOf } from './report-error.ts';

function pullFailure(image: string): SandboxError {
  return new SandboxError(`Cannot pull the image ${image}: not found`, {
    code: 'sandbox.pull-failed',
    hint: 'Check name and tag.',
    backend: 'docker',
    phase: 'create',
    started: false,
  });
}

test.each([
  [
    defaultImage,
    defaultImage,
    `Check name and tag. ${defaultImage} is the default image; name another one with --image (terminal.image).`,
  ],
  ['acme/one', 'acme/one', 'Check name and tag. Name another image with --image (terminal.image).'],
  ['acme/of-an-item', 'acme/one', 'Check name and tag.'],
  ['acme/of-an-item', null, 'Check name and tag.'],
])('the image %s that cannot be pulled, where %s is configured, is wrong usage', (image, configured, hint) => {
  const explained = explainPreflight(pullFailure(image), { image: configured });
  expect(explained).toMatchObject({ code: 'config.missing-image', hint });
  expect(explained).toHaveProperty('message', expect.stringContaining(image));
  expect(exitReasonOf(explained)).toBe('usage');
});

test('an image that may not be pulled names the setting too', () => {
  const error = new ConfigError(`no image ${defaultImage}`, { code: 'config.missing-image' });
  expect(explainPreflight(error, { image: defaultImage })).toHaveProperty('hint', expect.stringContaining('--image'));
});

test('any other error is left as it is', () => {
  const options = { backend: 'docker', phase: 'create', started: false } as const;
  const error = new SandboxError('gone', { code: 'sandbox.lost', ...options });
  expect(explainPreflight(error, { image: defaultImage })).toBe(error);
  expect(exitReasonOf(error)).toBe('failed');
});
