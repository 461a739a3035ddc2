import { createJsonCallBody, type JsonCall, type JsonCallBody, type JsonCallKeys } from './json/json-call-body.ts';
import type { WrittenCall } from './stream/call-format.ts';
import { type CallReader, faultAt, type ReadOutcome } from './stream/call-reader.ts';
import type { TextWindow } from './text/text-window.ts';
import { createTokenTable, type TokenTable } from './text/token-table.ts';

/** A format whose call is one JSON object between two tags. */
export interface TaggedJsonGrammar {
  readonly startTag: string;
  readonly endTag: string;
  readonly keys: JsonCallKeys;
}

/**
 * Makes readers of `⟨start tag⟩ ws ⟨object⟩ ws ⟨end tag⟩`. The end tag may be missing before another start tag and
 * at the end of the text.
 */
export function taggedJsonReaders(grammar: TaggedJsonGrammar): (start: number) => CallReader {
  const followers = createTokenTable([grammar.endTag, grammar.startTag]);
  return (start) => createReader(grammar, followers, start);
}

/** `followers` is what may follow the object. */
function createReader({ endTag, keys }: TaggedJsonGrammar, followers: TokenTable, start: number): CallReader {
  let body: JsonCallBody | undefined;
  /** Where the search for calls goes on after a fault. */
  let resumeAt = start;
  let call: JsonCall | undefined;

  function readEnd(window: TextWindow, found: JsonCall): ReadOutcome {
    window.skipWhiteSpace();
    const token = followers.match(window.source, window.index);
    if (token === '') return 'more';
    if (token === undefined) return faultAt(window, 'bad-structure', `expected ${endTag}`, resumeAt);
    return { kind: 'call', ...found, end: window.position + (token === endTag ? token.length : 0) };
  }

  return {
    get progress() {
      return body;
    },
    read(window) {
      if (call !== undefined) return readEnd(window, call);
      if (body === undefined) {
        window.skipWhiteSpace();
        if (window.isRead) return 'more';
        if (window.source[window.index] !== '{') return faultAt(window, 'bad-structure', 'expected {', resumeAt);
        body = createJsonCallBody(keys, start);
      }
      const outcome = body.read(window);
      if (outcome !== 'end') return outcome;
      const said = body.call(window);
      if ('kind' in said) return said;
      call = said;
      resumeAt = window.position;
      return readEnd(window, call);
    },
    finish(window) {
      if (call === undefined) {
        window.index = window.source.length;
        return faultAt(window, 'truncated', `the text ended, expected ${body?.expectation ?? '{'}`, resumeAt);
      }
      // An end tag that the end of the text cut is a missing end tag; a cut start tag is text behind the call.
      const isEndTag = endTag.startsWith(window.source.slice(window.index));
      return { kind: 'call', ...call, end: isEndTag ? window.end : window.position };
    },
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
