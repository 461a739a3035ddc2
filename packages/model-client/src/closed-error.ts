import { ModelError } from '@talaria/core';

/** The error of a call to a model that was disposed of. */
export function closedError(name: string): ModelError {
  return new ModelError(`The model "${name}" is closed`, {
    code: 'model.closed',
    hint: 'Dispose of the model only after its last call has ended.',
  });
}
