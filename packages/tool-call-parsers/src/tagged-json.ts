import { type JsonCall, JsonCallBody, type JsonCallKeys } from './json/json-call-body.ts';
import type { WrittenCall } from './stream/call-format.ts';
import type { CallReader, CompletedCall, Fault, ReadOutcome } from './stream/call-reader.ts';
import type { TextWindow } from './text/text-window.ts';
import { noToken, partialToken, TokenTable } from './text/token-table.ts';
import { skipWhiteSpace } from './text/white-space.ts';

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
export function taggedJsonReaders(grammar: TaggedJsonGrammar): () => CallReader {
  const followers = new TokenTable([grammar.endTag, grammar.startTag]);
  return () => new TaggedJsonReader(grammar, followers);
}

const openingBrace = 123;

class TaggedJsonReader implements CallReader {
  readonly #grammar: TaggedJsonGrammar;
  /** What may follow the object. */
  readonly #followers: TokenTable;
  readonly #body: JsonCallBody;
  #part: 'before' | 'object' | 'after' = 'before';
  #resumeAt = 0;
  #call: JsonCall | undefined;

  constructor(grammar: TaggedJsonGrammar, followers: TokenTable) {
    this.#grammar = grammar;
    this.#followers = followers;
    this.#body = new JsonCallBody(grammar.keys);
  }

  get name(): string | undefined {
    return this.#body.name;
  }

  get isContradicted(): boolean {
    return this.#body.isContradicted;
  }

  begin(window: TextWindow): void {
    this.#part = 'before';
    this.#resumeAt = window.position;
    this.#call = undefined;
    this.#body.begin(window.position, window.position);
  }

  read(window: TextWindow): ReadOutcome {
    if (this.#part === 'before') {
      window.index = skipWhiteSpace(window.source, window.index);
      if (window.index === window.source.length) return 'more';
      if (window.source.charCodeAt(window.index) !== openingBrace) return this.#misplaced(window, 'a JSON object');
      this.#part = 'object';
    }
    if (this.#part === 'object') {
      const outcome = this.#body.read(window);
      if (outcome !== 'end') return outcome;
      const call = this.#body.call(window);
      if ('kind' in call) return call;
      this.#call = call;
      this.#resumeAt = window.position;
      this.#part = 'after';
    }
    return this.#readFollower(window);
  }

  finish(window: TextWindow): CompletedCall | Fault {
    if (this.#call === undefined) {
      const expected = this.#part === 'before' ? 'a JSON object' : this.#body.expectation;
      const message = `the text ended, expected ${expected}`;
      return { kind: 'fault', error: 'truncated', at: window.end, resumeAt: this.#resumeAt, message, isOpen: false };
    }
    // An end tag that the end of the text cut is a missing end tag; a cut start tag is text behind the call.
    const rest = window.source.slice(window.index);
    return { kind: 'call', ...this.#call, end: this.#grammar.endTag.startsWith(rest) ? window.end : window.position };
  }

  drainArguments(window: TextWindow): string {
    return this.#body.drainArguments(window);
  }

  #readFollower(window: TextWindow): ReadOutcome {
    window.index = skipWhiteSpace(window.source, window.index);
    if (window.index === window.source.length || this.#call === undefined) return 'more';
    const place = this.#followers.match(window.source, window.index);
    if (place === partialToken) return 'more';
    if (place === noToken) return this.#misplaced(window, `${this.#grammar.endTag} after the JSON object`);
    const isEndTag = this.#followers.tokens[place] === this.#grammar.endTag;
    return { kind: 'call', ...this.#call, end: window.position + (isEndTag ? this.#grammar.endTag.length : 0) };
  }

  #misplaced(window: TextWindow, expected: string): Fault {
    const message = `expected ${expected}`;
    const at = window.position;
    return { kind: 'fault', error: 'bad-structure', at, resumeAt: this.#resumeAt, message, isOpen: true };
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
