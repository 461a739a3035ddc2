import type { Clock } from '@talaria/core';
import type Dockerode from 'dockerode';
import type { CarriedFileSource, CarriedFileTarget, FileCarrier } from '../remote/file-carrier.ts';
import { ByteReader } from '../remote/files/byte-reader.ts';
import { tarBlockBytes, tarPadding, writeTarHeader } from '../remote/files/tar-header.ts';
import { createTarReader } from '../remote/files/tar-reader.ts';
import { socketPathOf } from './docker-address.ts';
import { dockerError } from './docker-error.ts';
import { finishSoon } from './finish-soon.ts';
import { readResponse } from './read-response.ts';
import { sendRequest } from './send-request.ts';

const minBytes = 8_388_608;
/**
 * The engine answers no other question about a container while it carries an archive into or out of it, and starts nothing
 * there (observed with Docker 20.10): also what ends a command has to wait. This is about a second; larger files, and those
 * of engines elsewhere, whose connection may be slow, go through a process.
 */
const maxBytes = 268_435_456;

/**
 * Carries files by the engine's archive interface. `undefined` where it is on another machine. It does not see what was
 * mounted inside the container, such as a tmpfs: a file would land in what is beneath.
 */
export function createArchiveCarrier({
  container,
  host,
  clock,
}: {
  readonly container: Dockerode.Container;
  /** The engine's address. */
  readonly host: string;
  readonly clock: Clock;
}): FileCarrier | undefined {
  const socketPath = socketPathOf(host);
  if (socketPath === undefined) return undefined;
  return {
    minBytes,
    maxBytes,
    async put(target, content, signal) {
      signal?.throwIfAborted();
      const folder = encodeURIComponent(target.folder);
      const sizeBytes = tarBlockBytes + target.sizeBytes + tailBytes(target.sizeBytes);
      const pieces = archiveFile(target, content, signal);
      const request = `/containers/${container.id}/archive?noOverwriteDirNonDir=true&path=${folder}`;
      // Not broken off when the signal comes, or the engine might still write: the archive ends early instead.
      const { status, text } = await finishSoon(sendRequest(socketPath, request, { sizeBytes, pieces }), signal, clock);
      if (status === 200) return;
      throw archiveError(`Docker refuses an archive for ${JSON.stringify(target.folder)} (status ${status}): ${text}`);
    },
    async get(path, signal) {
      const target = `/containers/${container.id}/archive?path=${encodeURIComponent(path)}`;
      const response = await readResponse(socketPath, target, signal);
      try {
        const { status } = response;
        if (status === 200) return { ...(await readArchivedFile(response.body, path)), close: response.close };
        throw archiveError(`Docker refuses an archive of ${JSON.stringify(path)} (status ${status})`);
      } catch (error) {
        response.close();
        throw error;
      }
    },
  };
}

/** An archive of one file, in the pieces that it comes in; ends early when the signal comes. */
async function* archiveFile(
  { name, sizeBytes, owner }: CarriedFileTarget,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  yield writeTarHeader({ name, kind: 'file', mode: 0o600, sizeBytes, modifiedSeconds: 0, owner });
  try {
    for await (const piece of content) {
      if (signal?.aborted) return;
      yield piece;
    }
  } catch {
    // Whoever gave it knows; the engine must hear of an end, or it would wait for the rest.
    return;
  }
  yield Buffer.alloc(tailBytes(sizeBytes));
}

/** What follows a file at the end of an archive. */
function tailBytes(sizeBytes: number): number {
  return tarPadding(sizeBytes) + 2 * tarBlockBytes;
}

async function readArchivedFile(
  body: AsyncIterable<Buffer>,
  path: string,
): Promise<Pick<CarriedFileSource, 'sizeBytes' | 'content'>> {
  const bytes = new ByteReader(body);
  const fail = (what: string) => archiveError(`The archive of ${JSON.stringify(path)} is damaged: ${what}`);
  const entry = await createTarReader(bytes, fail).next();
  if (entry?.kind !== 'file') throw fail('there is no file in it');
  const { sizeBytes } = entry;
  async function* content(): AsyncGenerator<Buffer> {
    for (let left = sizeBytes; left > 0; ) {
      if (!(await bytes.fill(1))) throw fail(`${left} bytes are missing`);
      const piece = bytes.take(Math.min(left, bytes.bufferedBytes));
      left -= piece.length;
      yield piece;
    }
  }
  return { sizeBytes, content: content() };
}

function archiveError(message: string): unknown {
  return dockerError(
    message,
    { phase: 'transfer', started: true },
    { code: 'sandbox.failed', retryable: true, hint: 'Copy it again; the log of the engine tells more.' },
  );
}
