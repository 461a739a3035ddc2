import { readArgumentsObject } from '../json/json-arguments.ts';
import type { Answer } from '../stream/answer.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { endCall } from '../stream/end-call.ts';
import { findToken } from '../stream/marked-calls.ts';
import { isCallName } from '../text/call-name.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { channelToken, messageEnds, messageToken, readHeader, recipientMark, startToken } from './message-header.ts';

const startMarkers: readonly string[] = [startToken, channelToken];
const callToken = '<|call|>';

const outside: TokenTable = /* @__PURE__ */ createTokenTable([channelToken, ...messageEnds]);
const ends: TokenTable = /* @__PURE__ */ createTokenTable(messageEnds);
/** How an answer goes on where the prompt ended with the role. */
const recipientStart: TokenTable = /* @__PURE__ */ createTokenTable([recipientMark]);

/**
 * Reads the messages of an answer. One with a recipient is a call, whatever its channel; one on the channel `analysis`
 * is reasoning, which is not said to the user; the others are content, and so is text outside of messages.
 */
function* read(answer: Answer): Reading<void> {
  const { window } = answer;
  yield* skipSpace(window);
  if (yield* peekToken(window, recipientStart)) yield* readMessage(answer);
  for (;;) {
    const token = yield* findToken(answer, outside);
    if (token === '') return;
    if (startMarkers.includes(token)) yield* readMessage(answer);
    else {
      window.index += token.length;
      answer.skip(window.position);
      answer.join();
    }
  }
}

/** Reads a message, the header of which begins where the window stands. */
function* readMessage(answer: Answer): Reading<void> {
  const { window } = answer;
  const start = window.position;
  const header = yield* readHeader(answer, start);
  if (header === undefined) return;
  const { role, channel, recipient } = header;
  const isOther = role !== 'assistant';
  if (isOther) {
    answer.open(start);
    answer.fail('bad-structure', 'a message of the assistant', window.position);
  } else {
    answer.join();
    window.index += messageToken.length;
    if (recipient) yield* readCall(answer, start, recipient.replace(/^functions\./, ''));
    else answer.skip(window.position);
    if (recipient && answer.isAfterCall) return;
  }
  // All is shown of a call that is none, and of what only others may say.
  const isShown = isOther || recipient !== '';
  const token = yield* findToken(answer, ends, isShown || channel !== 'analysis' ? answer.text : answer.skip);
  if (token !== startToken) window.index += token.length;
  if (isShown) answer.text(window.position);
  else answer.skip(window.position);
  answer.join();
}

/** Reads the body of a message to a tool, behind its header. */
function* readCall(answer: Answer, start: number, name: string): Reading<void> {
  const resumeAt = answer.window.position;
  if (isCallName(name)) {
    const call = yield* readArgumentsObject(answer, { start, name, resumeAt }, ends);
    if (call) yield* endCall(answer, call, callToken, ends);
  } else {
    answer.open(start);
    answer.fail('bad-name', `"${name}" is no name`, resumeAt);
  }
}

function writeCall({ name, arguments: json }: WrittenCall): string {
  return `${channelToken}commentary to=functions.${name} <|constrain|>json${messageToken}${json}${callToken}`;
}

/**
 * The format of gpt-oss, called Harmony: messages on channels, of which those with a recipient are calls. Its reasoning
 * is dropped here; put the reasoning parser `gpt_oss` in front to have it.
 */
export const gptOss: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'gpt_oss',
  aliases: ['openai', 'gpt-oss'],
  startMarkers,
  read,
  callEnd: />/,
  separator: '',
  keepsTurnEnd: true,
  write: (calls) => calls.map(writeCall).join(`${startToken}assistant`),
  writeContent: (content, hasCalls) =>
    hasCalls
      ? `${channelToken}commentary${messageToken}${content}<|end|>${startToken}assistant`
      : `${channelToken}final${messageToken}${content}<|return|>`,
});
