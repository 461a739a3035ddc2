import { Writable } from 'node:stream';
import { carryFiles, type JobPlace } from './job-place.ts';
import { jobScript } from './job-script.ts';

const maxPieceBytes = 4_194_304;
/** How long one request waits until the program takes what it got. */
const feedWaitMs = 10_000;

type FeedReply = 'fed' | 'closed' | 'busy' | 'gone' | 'no-space';
const feedReplies: readonly FeedReply[] = ['fed', 'closed', 'busy', 'gone', 'no-space'];

/** The input of a job: each piece is a file, which is written into a pipe inside the sandbox. */
export function createJobInput(place: JobPlace, job: string): Writable {
  let count = 0;

  async function feed(number: string, content: Buffer | null): Promise<void> {
    const files = content === null ? [] : [{ path: `${place.folder}/${job}/in.${number}`, content }];
    const { words, variables } = await carryFiles(place, files);
    let reply: FeedReply = 'busy';
    while (reply === 'busy' && !input.destroyed) {
      reply = await place.requests.ask(jobScript, ['feed', place.folder, job, String(feedWaitMs), number, ...words], {
        action: 'give input to a process',
        waitMs: feedWaitMs,
        variables,
        read: (text) => feedReplies.find((word) => word === text.trim()) ?? null,
      });
    }
    if (reply === 'fed' || (content === null && reply !== 'busy')) return;
    throw Object.assign(new Error('The process takes no more input'), {
      code: reply === 'no-space' ? 'ENOSPC' : 'EPIPE',
    });
  }

  async function feedAll(content: Buffer): Promise<void> {
    for (let start = 0; start < content.length; start += maxPieceBytes) {
      count += 1;
      await feed(String(count), content.subarray(start, start + maxPieceBytes));
    }
  }

  const input = new Writable({
    highWaterMark: maxPieceBytes,
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => void feedAll(chunk).then(() => done(), done),
    // What was written while a request was under way goes with the next one.
    writev: (chunks: readonly { readonly chunk: Buffer }[], done) =>
      void feedAll(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done),
    final: (done) => void feed('end', null).then(() => done(), done),
  });
  return input;
}
