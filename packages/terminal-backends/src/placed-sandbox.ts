import type { Sandbox } from './sandbox.ts';

/** A sandbox, and its place among those that may be open. */
export interface PlacedSandbox {
  readonly sandbox: Sandbox;
  readonly place: Disposable;
}

/** Closes it. The place is kept until the sandbox is gone, not only until nobody uses it. */
export async function closePlaced({ sandbox, place }: PlacedSandbox): Promise<void> {
  try {
    await sandbox[Symbol.asyncDispose]();
  } finally {
    place[Symbol.dispose]();
  }
}
