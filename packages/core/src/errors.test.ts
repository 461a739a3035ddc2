import { describe, expect, test } from '@jest/globals';
import {
  addUsage,
  assertNever,
  ConfigError,
  errorMessage,
  InternalError,
  isInfrastructureStop,
  isTalariaError,
  ModelError,
  noUsage,
  SandboxError,
  StateError,
  systemErrorCode,
  TaskError,
  toFailure,
} from './index.ts';

describe('the error tree', () => {
  test.each([
    new ConfigError('m', { code: 'config.invalid' }),
    new ModelError('m', { code: 'model.timeout' }),
    new SandboxError('m', { code: 'sandbox.lost', backend: 'local', phase: 'exec', started: true }),
    new TaskError('m', { code: 'task.invalid' }),
    new StateError('m', { code: 'state.locked' }),
    new InternalError('m', { code: 'internal.unreachable' }),
  ])('$name says who must act', (error) => {
    expect(isTalariaError(error)).toBe(true);
    expect(error.name).toBe(error.constructor.name);
    expect(error.retryable).toBe(false);
    expect(error.hint).toBeUndefined();
    expect('cause' in error).toBe(false);
  });

  test('keeps code, hint, cause and whether trying again may help', () => {
    const cause = new Error('below');
    const error = new ModelError('Busy', {
      code: 'model.overloaded',
      hint: 'Wait.',
      retryable: true,
      cause,
      status: 503,
      requestId: 'r1',
      attempts: 5,
      bodyExcerpt: 'busy',
    });
    expect(error).toMatchObject({
      code: 'model.overloaded',
      hint: 'Wait.',
      retryable: true,
      cause,
      status: 503,
      attempts: 5,
    });
  });

  test('other values are no errors of the tree', () => {
    for (const value of [null, undefined, 'text', new Error('x'), {}]) expect(isTalariaError(value)).toBe(false);
  });

  test('assertNever names the value', () => {
    expect(() => assertNever('odd' as never)).toThrow('odd');
  });
});

describe('toFailure', () => {
  test('takes code and boundary from an error of the tree', () => {
    const lost = new SandboxError('Gone', {
      code: 'sandbox.lost',
      backend: 'local',
      phase: 'exec',
      started: true,
      retryable: true,
    });
    expect(toFailure(lost, 'grader')).toEqual({
      boundary: 'sandbox',
      code: 'sandbox.lost',
      retryable: true,
      message: 'Gone',
    });
    expect(toFailure(new TaskError('Bad', { code: 'task.reward' }), 'grader')).toMatchObject({ boundary: 'grader' });
  });

  test('describes anything else by the boundary of the caller', () => {
    expect(toFailure('text', 'tool')).toEqual({
      boundary: 'tool',
      code: 'tool.unexpected',
      retryable: false,
      message: 'text',
    });
  });
});

test('errorMessage and systemErrorCode read anything that was thrown', () => {
  expect(errorMessage({ message: 'm' })).toBe('m');
  expect(errorMessage(7)).toBe('7');
  expect(systemErrorCode({ code: 'ENOENT' })).toBe('ENOENT');
  expect(systemErrorCode({ code: 5 })).toBeUndefined();
  expect(systemErrorCode(null)).toBeUndefined();
});

describe('addUsage', () => {
  test('keeps a detail that one side reported and invents none', () => {
    const left = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const right = { ...left, prompt_tokens_details: { cached_tokens: 4 } };
    expect(addUsage(left, left)).toEqual({ prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 });
    expect(addUsage(left, right)).toEqual({
      prompt_tokens: 2,
      completion_tokens: 4,
      total_tokens: 6,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(addUsage(noUsage, left)).toEqual(left);
  });
});

test('isInfrastructureStop names the ends that are not the model’s', () => {
  expect(['model_error', 'sandbox_lost', 'aborted'].every((reason) => isInfrastructureStop(reason as never))).toBe(
    true,
  );
  expect(
    ['completed', 'max_turns', 'truncated', 'budget_time'].some((reason) => isInfrastructureStop(reason as never)),
  ).toBe(false);
});
