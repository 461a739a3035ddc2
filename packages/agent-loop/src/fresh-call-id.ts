import type { CreateId } from '@talaria/core';

/** What {@link freshCallId} needs to know. */
export interface FreshCallIdOptions {
  /** Whether another call has that id. */
  readonly isTaken: (id: string) => boolean;
  /** How many calls there were: where ids that count go on. */
  readonly callCount: number;
  readonly createId: CreateId;
}

/**
 * An id that no call has, in place of a given one that is missing or repeated. It keeps the form of the given one, since
 * chat templates and endpoints of some families refuse every other: ids of Kimi end in a number that counts on through
 * the conversation (`functions.read_file:3`), those of Mistral are nine letters and digits.
 */
export function freshCallId(given: string, { isTaken, callCount, createId }: FreshCallIdOptions): string {
  const [, stem] = counted.exec(given) ?? [];
  if (stem !== undefined) return firstFree(callCount, isTaken, (number) => `${stem}${number}`);
  const id = createId('call');
  // A source that repeats itself must not hold up the loop.
  const variant = (number: number): string => (number === 1 ? id : `${id}_${number}`);
  return firstFree(1, isTaken, ninePlaces.test(given) ? (number) => toNinePlaces(variant(number)) : variant);
}

const counted = /^(.*:)\d+$/s;
const ninePlaces = /^[A-Za-z0-9]{9}$/;

function toNinePlaces(id: string): string {
  return id
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(-9)
    .padStart(9, '0');
}

function firstFree(first: number, isTaken: (id: string) => boolean, idOf: (number: number) => string): string {
  for (let number = first; ; number += 1) {
    const id = idOf(number);
    if (!isTaken(id)) return id;
  }
}
