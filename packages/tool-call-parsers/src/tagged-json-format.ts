import type { CallFormat } from './stream/call-format.ts';
import { markedCalls } from './stream/marked-calls.ts';
import { type TaggedJsonGrammar, taggedJsonCall, writeTaggedJson } from './tagged-json.ts';

/** A format that is nothing but its tags and keys. */
export interface TaggedJsonFormat extends TaggedJsonGrammar {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
}

/** The format of models that write each call as one JSON object between two tags. */
export function taggedJsonFormat(format: TaggedJsonFormat): CallFormat {
  const startMarkers = [format.startTag];
  return {
    name: format.name,
    aliases: format.aliases,
    startMarkers,
    read: markedCalls({ startMarkers, readCall: taggedJsonCall(format) }),
    callEnd: />/,
    separator: '\n',
    write: (calls) => writeTaggedJson(format, calls),
  };
}
