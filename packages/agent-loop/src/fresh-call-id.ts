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
  const toForm = ninePlaces.test(given) ? toNinePlaces : (made: string): string => made;
  const first = toForm(id);
  // A source that repeats itself must not hold up the loop.
  return isTaken(first) ? firstFree(callCount, isTaken, (number) => toForm(`${id}_${number}`)) : first;
}

const counted = /^(.*:)\d+$/s;
const ninePlaces = /^[A-Za-z0-9]{9}$/;

function toNinePlaces(id: string): string {
  return id
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(-9)
    .padStart(9, '0');
}

/** In ever longer steps, since a conversation may hold any number of ids that follow each other. */
function firstFree(first: number, isTaken: (id: string) => boolean, idOf: (number: bigint) => string): string {
  for (let step = 0n; ; step = step * 2n + 1n) {
    const id = idOf(BigInt(first) + step);
    if (!isTaken(id)) return id;
  }
}
