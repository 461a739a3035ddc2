import { AnswerProblem } from './answer-problem.ts';
import { isHtml, parseObject, type RawAnswer, throwReportedError } from './decode-answer.ts';
import { readBytes, readText } from './read-body.ts';
import { readServerSentEvents } from './server-sent-events.ts';
import { type ChatDelta, createStreamAssembly } from './stream-assembly.ts';

/** What a streamed answer consists of: pieces, and at last the whole. */
export type StreamedPiece = ChatDelta | { readonly type: 'answer'; readonly answer: RawAnswer };

/**
 * Reads a streamed answer. Stopping early closes the connection.
 * @throws AnswerProblem for anything that is no finished answer
 */
export async function* readStreamedAnswer(response: Response, maxBytes: number): AsyncGenerator<StreamedPiece> {
  if (response.headers.get('content-type')?.includes('application/json') || isHtml(response)) {
    await rejectWholeAnswer(response, maxBytes);
  }
  const assembly = createStreamAssembly();
  try {
    for await (const event of readServerSentEvents(readBytes(response, maxBytes))) {
      yield* assembly.add(event);
      if (assembly.isDone) break;
    }
  } catch (error) {
    // Servers that hang up after the last word, instead of ending the stream, have said all they had to say.
    const isBroken = error instanceof AnswerProblem && error.problem.kind === 'connection';
    if (!isBroken || !assembly.hasFinishReason) throw error;
  }
  yield { type: 'answer', answer: assembly.finish() };
}

/** A stream was asked for, and something else came: an error, a page, or an endpoint that cannot stream. */
async function rejectWholeAnswer(response: Response, maxBytes: number): Promise<never> {
  const bodyText = await readText(response, maxBytes);
  if (isHtml(response)) throw new AnswerProblem({ kind: 'html', bodyText });
  throwReportedError(parseObject(bodyText), bodyText);
  throw new AnswerProblem({ kind: 'unreadable', detail: 'it is not a stream of events', bodyText });
}
