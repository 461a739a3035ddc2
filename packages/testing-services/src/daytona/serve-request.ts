import type { ServerResponse } from 'node:http';
import { type Clock, errorMessage, type JsonObject } from '@talaria/core';
import { type Answer, AnswerError, errorBody, json } from './answer.ts';
import type { DaytonaFault } from './daytona-fault.ts';
import type { DoubleRequest } from './double-request.ts';
import { sendAnswer, sendCut } from './send-answer.ts';

/** Does what a request asks for. */
export type RequestWork = () => Promise<Answer>;

/** Answers a request, in the way a fault wants it. Resolves when that is done, at once where nothing is to be said. */
export async function serveRequest(
  request: DoubleRequest,
  response: ServerResponse,
  fault: DaytonaFault | null,
  clock: Clock,
  work: RequestWork,
): Promise<void> {
  const answer = (): Promise<Answer> => answerOf(request, work);
  switch (fault?.fault) {
    case 'status':
      return sendAnswer(response, faultAnswer(request, fault));
    case 'silence':
      if (fault.hasEffect === true) await answer();
      return;
    case 'hang-up':
      if (fault.hasEffect === true) await answer();
      response.destroy();
      return;
    case 'cut':
      return sendCut(response, await answer(), fault.bytes);
    case 'slow':
      // Making a sandbox takes its time after the answer.
      if (!isCreate(request)) await clock.sleep(fault.durationMs, { isBackground: true });
      return sendAnswer(response, await answer());
    default:
      return sendAnswer(response, await answer());
  }
}

/** The answer of a fault that says it all. */
export function faultAnswer(
  request: { readonly method: string; readonly path: string },
  fault: Extract<DaytonaFault, { fault: 'status' }>,
): Answer {
  const { status, message = `The double was told to answer ${status}`, retryAfter, body } = fault;
  const answer = json(errorBody(request, status, { message, ...body }), status);
  return retryAfter === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

/** The answer for whatever went wrong. */
export function errorAnswer(request: { readonly method: string; readonly path: string }, error: unknown): Answer {
  const [status, fields]: readonly [number, JsonObject] =
    error instanceof AnswerError ? [error.status, error.fields] : [500, { error: 'Internal Server Error' }];
  return json(errorBody(request, status, { message: errorMessage(error), ...fields }), status);
}

async function answerOf(request: DoubleRequest, work: RequestWork): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    return errorAnswer(request, error);
  }
}

function isCreate({ method, path }: DoubleRequest): boolean {
  return method === 'POST' && path === '/sandbox';
}
