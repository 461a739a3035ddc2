import { type JsonCall, JsonCallBody, type JsonCallKeys } from './json/json-call-body.ts';
import type { WrittenCall } from './stream/call-format.ts';
import { type CallReader, type CompletedCall, type Fault, faultAt, type ReadOutcome } from './stream/call-reader.ts';
import type { TextWindow } from './text/text-window.ts';
import { noToken, partialToken, TokenTable } from './text/token-table.ts';

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
  const followers = new TokenTable([grammar.endTag, grammar.startTag]);
  return (start) => new TaggedJsonReader(grammar, followers, start);
}

class TaggedJsonReader implements CallReader {
  readonly progress: JsonCallBody;
  readonly #endTag: string;
  /** What may follow the object. */
  readonly #followers: TokenTable;
  #isInObject = false;
  /** Where the search for calls goes on after a fault. */
  #resumeAt: number;
  #call: JsonCall | undefined;

  constructor(grammar: TaggedJsonGrammar, followers: TokenTable, start: number) {
    this.#endTag = grammar.endTag;
    this.#followers = followers;
    this.#resumeAt = start;
    this.progress = new JsonCallBody(grammar.keys, start);
  }

  read(window: TextWindow): ReadOutcome {
    if (!this.#isInObject) {
      window.skipWhiteSpace();
      if (window.isRead) return 'more';
      if (window.source.charAt(window.index) !== '{') return this.#fault(window, 'a JSON object');
      this.#isInObject = true;
    }
    if (this.#call === undefined) {
      const outcome = this.progress.read(window);
      if (outcome !== 'end') return outcome;
      const call = this.progress.call(window);
      if ('kind' in call) return call;
      this.#call = call;
      this.#resumeAt = window.position;
    }
    window.skipWhiteSpace();
    if (window.isRead) return 'more';
    const place = this.#followers.match(window.source, window.index);
    if (place === partialToken) return 'more';
    if (place === noToken) return this.#fault(window, `${this.#endTag} after the JSON object`);
    const length = this.#followers.tokens[place] === this.#endTag ? this.#endTag.length : 0;
    return { kind: 'call', ...this.#call, end: window.position + length };
  }

  finish(window: TextWindow): CompletedCall | Fault {
    if (this.#call === undefined) {
      const expected = this.#isInObject ? this.progress.expectation : 'a JSON object';
      window.index = window.source.length;
      return faultAt(window, 'truncated', `the text ended, expected ${expected}`, this.#resumeAt);
    }
    // An end tag that the end of the text cut is a missing end tag; a cut start tag is text behind the call.
    const isEndTag = this.#endTag.startsWith(window.source.slice(window.index));
    return { kind: 'call', ...this.#call, end: isEndTag ? window.end : window.position };
  }

  #fault(window: TextWindow, expected: string): Fault {
    return faultAt(window, 'bad-structure', `expected ${expected}`, this.#resumeAt);
  }
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
