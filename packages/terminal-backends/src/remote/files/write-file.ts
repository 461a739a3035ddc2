import { temporaryName } from '../../host-files/host-file.ts';
import type { WriteFileOptions } from '../../sandbox.ts';
import { type FileCall, runFileScript } from './file-call.ts';
import { discardScript, writeScript } from './file-scripts.ts';
import { maxSmallBytes } from './read-file.ts';
import { expectSuccess, readAll, sendAll, withScript } from './running-script.ts';

/** Replaces a file in one step: whoever reads it sees the old bytes or the new ones. */
export async function writeFileAtomically(
  call: FileCall,
  bytes: Uint8Array,
  { mode, isExclusive = false }: WriteFileOptions,
): Promise<void> {
  const request: WriteRequest = { sizeBytes: bytes.length, mode, isExclusive, keepsOwner: true };
  if (bytes.length <= maxSmallBytes) {
    const temporary = temporaryName();
    await discardOnFailure(call, temporary, !isExclusive, () =>
      runFileScript(call, writeScript, writeArguments(temporary, request), { stdin: bytes }),
    );
  } else {
    await writeStream(call, request, piecesOf(bytes));
  }
}

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

/** Writes a file from a stream; gives the sum where it was asked for. */
export async function writeStream(
  call: FileCall,
  request: WriteRequest,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string> {
  const temporary = temporaryName();
  const { isExclusive = false } = request;
  return await discardOnFailure(call, temporary, !isExclusive, () =>
    withScript(call, [writeScript, writeArguments(temporary, request)], true, async (running) => {
      const reading = readAll(running.started.stdout, maxSmallBytes);
      await sendAll(running.started, chunks);
      const output = (await reading).toString();
      await expectSuccess(running, call, output);
      return output.trim();
    }),
  );
}

function writeArguments(temporary: string, request: WriteRequest): readonly string[] {
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

function flag(value: boolean): string {
  return value ? '1' : '0';
}

/** A time as `touch` takes it: seconds, with six digits behind the point. */
export function secondsText(milliseconds: number): string {
  // A double has about a microsecond of such numbers; more digits would be noise.
  return (milliseconds / 1_000).toFixed(6);
}

const pieceBytes = 1_048_576;

async function* piecesOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
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
    if (call.signal?.aborted || isUnfinished(error)) {
      await call.parts.scripts
        .run(discardScript, [...call.words, temporary, flag(followsLinks)], { timeoutMs: maxDiscardMs })
        .catch(() => undefined);
    }
    throw error;
  }
}

const unfinishedCodes: ReadonlySet<unknown> = new Set(['sandbox.timeout', 'sandbox.integrity']);

function isUnfinished(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && unfinishedCodes.has(error.code);
}
