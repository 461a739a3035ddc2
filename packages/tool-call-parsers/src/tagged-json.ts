import { type JsonCallKeys, readJsonCall } from './json/json-call-body.ts';
import type { Answer } from './stream/answer.ts';
import type { WrittenCall } from './stream/call-format.ts';
import { endCall } from './stream/end-call.ts';
import type { Reading } from './text/reading.ts';
import { createTokenTable } from './text/token-table.ts';

/** A format whose call is one JSON object between two tags. */
export interface TaggedJsonGrammar {
  readonly startTag: string;
  readonly endTag: string;
  readonly keys: JsonCallKeys;
}

/**
 * Makes the reading of `⟨start tag⟩ ws ⟨object⟩ ws ⟨end tag⟩`. The end tag may be missing before another start tag and
 * at the end of the text.
 */
export function taggedJsonCall({ startTag, endTag, keys }: TaggedJsonGrammar) {
  const followers = createTokenTable([endTag, startTag]);

  return function* readCall(answer: Answer, start: number): Reading<void> {
    const call = yield* readJsonCall(answer, start, keys);
    if (call) yield* endCall(answer, call, endTag, followers);
  };
}

/** Writes calls one below the other, as the chat templates of these models do. */
export function writeTaggedJson(grammar: TaggedJsonGrammar, calls: readonly WrittenCall[]): string {
  const { startTag, endTag, keys } = grammar;
  return calls
    .map((call) => {
      const name = JSON.stringify(call.name);
      return `${startTag}\n{"${keys.name}": ${name}, "${keys.arguments}": ${call.arguments}}\n${endTag}`;
    })
    .join('\n');
}
