import { encodeChunks, encodeCompletion } from './completion-codec.ts';
import { type Exchange, eventText, sendJson, sendPart, startStream } from './exchange.ts';
import type { ServerAnswer } from './scripted-answer.ts';

/** Sends an answer as the request asked for it: whole, or as a stream of events. */
export async function playAnswer(exchange: Exchange, answer: ServerAnswer): Promise<void> {
  if (answer.delayMs !== undefined) await exchange.clock.sleep(answer.delayMs, { signal: exchange.signal });
  if (!exchange.isStream) {
    sendJson(exchange, 200, encodeCompletion(answer, exchange.model));
    return;
  }
  startStream(exchange);
  for (const chunk of encodeChunks(answer, exchange.model)) {
    await sendPart(exchange, eventText(chunk));
    if (answer.pieceDelayMs !== undefined) await exchange.clock.sleep(answer.pieceDelayMs, { signal: exchange.signal });
  }
  exchange.response.end('data: [DONE]\n\n');
}
