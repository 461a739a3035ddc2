import { encodeChunks, encodeCompletion } from './completion-codec.ts';
import { type Exchange, eventText, sendJson, sendPart, startStream } from './exchange.ts';
import type { ServerAnswer } from './scripted-answer.ts';

/** Sends an answer as the request asked for it: whole, or as a stream of events. */
export async function playAnswer(exchange: Exchange, answer: ServerAnswer): Promise<void> {
  const { delayMs = 0, pieceDelayMs = 0 } = answer;
  if (delayMs > 0) await exchange.clock.sleep(delayMs, { signal: exchange.signal });
  if (!exchange.isStream) {
    sendJson(exchange, 200, encodeCompletion(answer, exchange.model));
    return;
  }
  startStream(exchange);
  for (const [index, chunk] of encodeChunks(answer, exchange.model).entries()) {
    if (index > 0 && pieceDelayMs > 0) await exchange.clock.sleep(pieceDelayMs, { signal: exchange.signal });
    await sendPart(exchange, eventText(chunk));
  }
  exchange.response.end('data: [DONE]\n\n');
}
