import type { Answer } from '../stream/answer.ts';
import { peekToken, type Reading, seekToken } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';

/** Begins a message, before its role. */
export const startToken = '<|start|>';
/** Stands before the channel. */
export const channelToken = '<|channel|>';
/** Ends the header. */
export const messageToken = '<|message|>';

/** What ends a message, or is the start of the next one. */
export const messageEnds: readonly string[] = ['<|call|>', '<|end|>', '<|return|>', startToken];

/** What the header of a message says. */
export interface MessageHeader {
  readonly role: string;
  readonly channel: string;
  /** Whom the message addresses; empty for the user. */
  readonly recipient: string;
}

const parts: readonly string[] = [channelToken, '<|constrain|>', messageToken];
const tokens: TokenTable = /* @__PURE__ */ createTokenTable([...parts, ...messageEnds]);

const maximumPartLength = 512;
/** Stands before the recipient. */
export const recipientMark = 'to=';
const channel: RegExp = /^(?:analysis|commentary|final)$/;

/**
 * Reads the header of a message up to `<|message|>`, where the window then stands. Where it is none, that is told, unless
 * it began with no token, and the result is undefined.
 */
export function* readHeader(answer: Answer, start: number): Reading<MessageHeader | undefined> {
  const { window } = answer;
  const header = { role: 'assistant', channel: '', recipient: '' };
  let token = (yield* peekToken(window, tokens)) ?? '';
  for (;;) {
    window.index += token.length;
    const from = window.position;
    const next = yield* seekToken(window, tokens, maximumPartLength);
    const to = window.position;
    // A word, a recipient and the kind of the body, each of which may be missing.
    const words = trimWhiteSpace(window.slice(from, to)).split(/\s+/);
    const word = (!words[0]?.startsWith(recipientMark) && words.shift()) || '';
    const recipient = words[0]?.startsWith(recipientMark) && words.shift();
    const isRight = words.length < 2 && (token !== channelToken || channel.test(word));
    if (!isRight || !(token ? parts : [channelToken]).includes(next)) {
      const isCut = !next && to - from <= maximumPartLength;
      if (token) {
        answer.open(start);
        window.rewind(from);
        answer.fail(isCut ? 'truncated' : 'bad-structure', 'the header of a message', to);
      }
      return undefined;
    }
    if (recipient) header.recipient = recipient.slice(recipientMark.length);
    if (token === startToken) header.role = word;
    if (token === channelToken) header.channel = word;
    if (next === messageToken) return header;
    token = next;
  }
}
