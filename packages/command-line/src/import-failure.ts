import { errorMessage } from '@talaria/core';

/** Why a module could not be imported, without Node's list of the files that asked for it. */
export function importFailure(error: unknown): string {
  return errorMessage(error).replace(/\n+Require stack:[\s\S]*$/, '');
}
