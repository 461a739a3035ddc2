import { isTalariaError } from '@talaria/core';
import { temporaryName } from '../../host-files/host-file.ts';
import type { CarriedFileTarget } from '../file-carrier.ts';
import { adoptScript, placeScript } from './carried-scripts.ts';
import { type FileCall, runFileScript } from './file-call.ts';
import { scriptExits } from './path-script.ts';
import { scriptFailure } from './script-failure.ts';
import { discard, discardOnFailure, flag, type WriteRequest, writeArguments } from './write-request.ts';

/**
 * Writes a file through the carrier; gives the sum, or nothing where none was asked for, and `null` where it cannot be
 * written so: then nothing is left of it, and a script may have more luck, or says why not.
 */
export async function carryIn(
  call: FileCall,
  request: WriteRequest,
  openContent: (mayReusePieces: boolean) => AsyncIterable<Uint8Array>,
): Promise<string | null> {
  const { carrier } = call.parts;
  const { sizeBytes } = request;
  if (carrier === undefined || sizeBytes < carrier.minBytes || sizeBytes > carrier.maxBytes) return null;
  const temporary = temporaryName();
  const place = await findPlace(call, temporary, request);
  if (place === null) return null;
  const content = watchSource(openContent(true));
  let isThere = false;
  try {
    await carrier.put({ ...place, name: temporary, sizeBytes }, content.pieces(), call.signal);
    call.signal?.throwIfAborted();
    isThere = true;
    const timeoutMs = Number.POSITIVE_INFINITY;
    return (await runFileScript(call, adoptScript, writeArguments(temporary, request), { timeoutMs }))
      .toString()
      .trim();
  } catch (error) {
    await discard({ ...call, words: ['', `${place.folder}/${temporary}`] }, temporary, false);
    call.signal?.throwIfAborted();
    if (content.failed()) throw content.failure();
    if (isThere && !isIncomplete(error)) throw error;
    return null;
  }
}

/** Makes the file that is to be replaced; `null` where the carrier does not reach it. @throws what refuses it */
async function findPlace(
  call: FileCall,
  temporary: string,
  { isExclusive = false }: WriteRequest,
): Promise<Pick<CarriedFileTarget, 'folder' | 'owner'> | null> {
  const { parts, words, signal } = call;
  return await discardOnFailure(call, temporary, !isExclusive, async () => {
    const args = [...words, temporary, flag(isExclusive)];
    const { exitCode, output } = await parts.scripts.run(placeScript, args, { signal });
    const said = Buffer.from(output).toString();
    if (exitCode === scriptExits.notReached) return null;
    if (exitCode !== 0) throw scriptFailure(exitCode, said, call);
    const [userId = 0, groupId = 0] = said.split('\n', 1).join().split(' ').map(Number);
    const path = said.slice(said.indexOf('\n') + 1, -1);
    return { folder: path.slice(0, path.lastIndexOf('/')) || '/', owner: { userId, groupId } };
  });
}

/** Tells a source that fails from a carrier that does. */
function watchSource(source: AsyncIterable<Uint8Array>): {
  readonly pieces: () => AsyncIterable<Uint8Array>;
  readonly failed: () => boolean;
  readonly failure: () => unknown;
} {
  let failure: { readonly error: unknown } | null = null;
  return {
    async *pieces() {
      try {
        yield* source;
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
    failed: () => failure !== null,
    failure: () => failure?.error,
  };
}

function isIncomplete(error: unknown): boolean {
  return isTalariaError(error) && error.code === 'sandbox.integrity';
}
