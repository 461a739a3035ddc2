import { StateError } from '@talaria/core';

/** A text column of a row. @throws StateError `state.damaged` */
export function textIn(row: Readonly<Record<string, unknown>>, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw wrongColumn(column, 'text');
}

/** A number column of a row. @throws StateError `state.damaged` */
export function numberIn(row: Readonly<Record<string, unknown>>, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw wrongColumn(column, 'a number');
}

function wrongColumn(column: string, wanted: string): StateError {
  return new StateError(`Column ${column} of a store holds no ${wanted}`, {
    code: 'state.damaged',
    hint: 'Put a copy of the file back: something else wrote to it.',
  });
}
