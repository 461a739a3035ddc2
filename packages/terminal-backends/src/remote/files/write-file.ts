import { temporaryName } from '../../host-files/host-file.ts';
import type { WriteFileOptions } from '../../sandbox.ts';
import { carryIn } from './carry-in.ts';
import { type FileCall, runFileScript } from './file-call.ts';
import { maxSmallBytes } from './read-file.ts';
import { expectSuccess, readAll, sendAll, withScript } from './running-script.ts';
import { discardOnFailure, type WriteRequest, writeArguments } from './write-request.ts';
import { writeScript } from './write-scripts.ts';

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
    using _place = await call.parts.transfers.acquire(call.signal);
    await writeStream(call, request, () => piecesOf(bytes));
  }
}

/**
 * Opens what is to be written. Where pieces may be reused, each is done with before the next is asked for.
 */
export type OpenContent = (mayReusePieces: boolean) => AsyncIterable<Uint8Array>;

/** Writes a file from a stream, which may be opened twice; gives the sum where it was asked for. */
export async function writeStream(call: FileCall, request: WriteRequest, openContent: OpenContent): Promise<string> {
  const carried = await carryIn(call, request, openContent);
  if (carried !== null) return carried;
  const temporary = temporaryName();
  const { isExclusive = false } = request;
  return await discardOnFailure(call, temporary, !isExclusive, () =>
    withScript(call, [writeScript, writeArguments(temporary, request)], true, async (running) => {
      const reading = readAll(running.started.stdout, maxSmallBytes);
      await sendAll(running.started, openContent(false));
      const output = (await reading).toString();
      await expectSuccess(running, call, output);
      return output.trim();
    }),
  );
}

const pieceBytes = 1_048_576;

async function* piecesOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
}
