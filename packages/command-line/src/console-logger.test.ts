import { expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createConsoleLogger } from './console-logger.ts';

function tellAll(level: 'quiet' | 'verbose'): readonly string[] {
  const lines: string[] = [];
  const secrets = [new Secret('OPENAI_API_KEY', 'sk-very-secret')];
  const logger = createConsoleLogger({ level, tell: (line) => lines.push(line), secrets });
  logger.debug('sandbox.opened', { sandboxId: 'a1' });
  logger.info('run.started');
  logger.warn('model.retry', { delayMs: 34.355_917, status: undefined, reason: 'two words' });
  logger.error('model.refused', { header: 'Bearer sk-very-secret', nested: { a: [1, 2] } });
  return lines;
}

test('warnings and errors are told in one line each, secrets taken out', () => {
  expect(tellAll('quiet')).toEqual([
    "warning: model.retry delayMs=34.356 reason='two words'",
    "error: model.refused header='Bearer [redacted:OPENAI_API_KEY]' nested={ a: [ 1, 2 ] }",
  ]);
});

test('everything is told where that is asked for', () => {
  expect(tellAll('verbose').slice(0, 2)).toEqual(['debug: sandbox.opened sandboxId=a1', 'info: run.started']);
});

function tellWarnings(level: 'silent' | 'quiet' | 'verbose'): readonly string[] {
  const lines: string[] = [];
  const logger = createConsoleLogger({ level, tell: (line) => lines.push(line), secrets: [] });
  const stack = 'Error: no\n    at computeReward (env.ts:1:2)';
  for (let sample = 0; sample < 5; sample += 1) logger.warn('rollout.reward-failed', { sample, message: 'no', stack });
  logger.warn('rollout.reward-failed', { sample: 5, message: 'another' });
  logger.tellCounts();
  return lines;
}

test('warnings that say the same are counted after the third', () => {
  expect(tellWarnings('quiet')).toEqual([
    'warning: rollout.reward-failed sample=0 message=no',
    'warning: rollout.reward-failed sample=1 message=no',
    'warning: rollout.reward-failed sample=2 message=no',
    'warning: rollout.reward-failed sample=5 message=another',
    'warning: rollout.reward-failed message=no: … and 2 more',
  ]);
  expect(tellWarnings('silent')).toEqual([]);
});

test('a stack is told once, where everything is told', () => {
  const lines = tellWarnings('verbose');
  expect(lines).toHaveLength(7);
  expect(lines[1]).toContain('at computeReward');
});
