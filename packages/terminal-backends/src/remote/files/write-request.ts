import type { FileCall } from './file-call.ts';
import { discardScript } from './write-scripts.ts';

/** How a file is to be written. */
export interface WriteRequest {
  /** Bytes that will come: where others arrive, nothing is replaced. */
  readonly sizeBytes: number;
  /** Permission bits. @default those of the file that is replaced, else 0o644 */
  readonly mode?: number | undefined;
  /** @default false */
  readonly isExclusive?: boolean | undefined;
  /** Milliseconds since 1970. @default now */
  readonly modifiedAt?: number | undefined;
  /** Give it to the owner of the file that it replaces. @default false */
  readonly keepsOwner?: boolean | undefined;
  /** Give the SHA-256 sum of what arrived. @default false */
  readonly hasSum?: boolean | undefined;
}

/** The arguments of `writeScript`. */
export function writeArguments(temporary: string, request: WriteRequest): readonly string[] {
  const { sizeBytes, mode, isExclusive = false, modifiedAt, keepsOwner = false, hasSum = false } = request;
  return [
    temporary,
    String(sizeBytes),
    mode === undefined ? '' : mode.toString(8),
    flag(isExclusive),
    modifiedAt === undefined ? '' : secondsText(modifiedAt),
    flag(keepsOwner),
    flag(hasSum),
  ];
}

/** A flag, as scripts take it. */
export function flag(value: boolean): string {
  return value ? '1' : '0';
}

/** A time as `touch` takes it: seconds, with six digits behind the point. */
export function secondsText(milliseconds: number): string {
  // A double has about a microsecond of such numbers; more digits would be noise.
  return (milliseconds / 1_000).toFixed(6);
}

const maxDiscardMs = 10_000;

/** Does work that leaves something under a temporary name beside the path when it is ended, and takes that away then. */
export async function discardOnFailure<Result>(
  call: FileCall,
  temporary: string,
  followsLinks: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A script that ended by itself has done it already; only one that was ended has not.
    if (call.signal?.aborted || isUnfinished(error)) await discard(call, temporary, followsLinks);
    throw error;
  }
}

/** Takes away what is there under a temporary name beside the path. Never throws. */
export async function discard(call: FileCall, temporary: string, followsLinks: boolean): Promise<void> {
  const args = [...call.words, temporary, flag(followsLinks)];
  await call.parts.scripts.run(discardScript, args, { timeoutMs: maxDiscardMs }).catch(() => undefined);
}

const unfinishedCodes: ReadonlySet<unknown> = new Set(['sandbox.timeout', 'sandbox.integrity']);

function isUnfinished(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && unfinishedCodes.has(error.code);
}
