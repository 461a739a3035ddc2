import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';
import { z } from 'zod';

/** An error of a corpus that `web.fixture` names, as one of that setting; any other error as it is. */
export function corpusFailure(error: unknown, path: string): unknown {
  switch (systemErrorCode(error)) {
    case 'state.not-found':
      return new ConfigError(`There is no corpus at ${path}`, {
        code: 'config.missing-file',
        hint: 'Check the path in web.fixture; it is taken relative to the folder in which you are.',
        cause: error,
      });
    case 'state.damaged':
      return new ConfigError(describeDamage(error, path), {
        code: 'config.invalid',
        hint: 'Correct the file that web.fixture names: {"pages": [{"url": "…", "title": "…", "content": "…"}]}',
        cause: error,
      });
    default:
      return error;
  }
}

/** A page that lacks something is named by its place, where the error would show all that is wrong as JSON. */
function describeDamage(error: unknown, path: string): string {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  const issue = cause instanceof z.ZodError ? cause.issues[0] : undefined;
  if (issue === undefined) return errorMessage(error);
  const place = issue.path.join('.');
  return `The corpus ${path} cannot be used: ${place === '' ? '' : `${place}: `}${issue.message}`;
}
