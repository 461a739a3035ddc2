import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { type Reading, skipSpace, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { contentEnd } from '../text/white-space.ts';
import type { ArgumentsWriter } from '../text-call/arguments-writer.ts';
import { endsBefore, type ValueEnd, type ValueFault } from '../text-call/read-value.ts';
import { decodeEntities, longestEntity } from './entities.ts';

const cdataStart = '<![CDATA[';
const cdataEnd = ']]>';
const cdataEnds: TokenTable = /* @__PURE__ */ createTokenTable([cdataEnd]);

/** What ends the text of an element, whose end tag is `endTag`, before a token of `followers`; and what says something in it. */
export function xmlEnd(followers: TokenTable, endTag: string): ValueEnd {
  return { ...endsBefore(followers, endTag), closers: createTokenTable([endTag, cdataStart, '&']) };
}

/**
 * Reads the text of an element, behind whose start tag the window stands, and writes it as its schema says. White space
 * at its ends is none of it, entities are decoded, and what stands in CDATA is taken as it is. A string flows, but for
 * white space, which may be the last, and for what may become an entity or a tag.
 */
export function* readXmlValue(
  window: TextWindow,
  writer: ArgumentsWriter,
  schema: ValueSchema,
  ending: ValueEnd,
): Reading<ValueFault> {
  const { isText } = schema;
  let text = '';
  if (isText) writer.json('"');
  yield* skipSpace(window);
  const fault = yield* readXmlText(window, ending, (part) => {
    if (isText) writer.text(part);
    else text += part;
  });
  if (!fault) writer.json(isText ? '"' : typeValue(text, schema));
  return fault;
}

/** Reads the text of an element from where it begins up to its end, and gives it in parts. */
function* readXmlText(
  window: TextWindow,
  { closers, endsAt }: ValueEnd,
  add: (part: string) => void,
): Reading<ValueFault> {
  const limit = window.keptFrom + maximumCallLength;
  /** What is looked for, and from where on: in CDATA, its end. */
  let table = closers;
  let searchFrom = window.position;
  /** How far the text was added, and how far it reaches without the white space behind it. */
  let addedTo = searchFrom;
  let endsTo = searchFrom;
  for (;;) {
    const { source, base } = window;
    const from = searchFrom - base;
    const index = table.find(source, from);
    const token = table.match(source, index);
    const end = table === closers ? contentEnd(source, from, index) : index;
    if (end > from) endsTo = base + end;
    searchFrom = base + index;
    if (searchFrom > limit) {
      window.rewind(limit);
      return 'limit';
    }
    /** What the token stands for, and how much of it was used up. */
    let decoded = '';
    let length = 0;
    if (token !== undefined) {
      add(window.slice(addedTo, endsTo));
      addedTo = endsTo;
      window.index = index;
      const isShort = token === '' || (token === '&' && source.length - index < longestEntity);
      if (isShort && (yield* waitForMore(window))) continue;
      if (token === '') return 'truncated';
      if (token === '&') [decoded, length] = readEntity(source, index);
      else if (token === cdataStart || token === cdataEnd) {
        table = token === cdataEnd ? closers : cdataEnds;
        length = token.length;
      } else if (yield* endsAt(window, token)) return undefined;
      else window.rewind(searchFrom);
    }
    if (length > 0) {
      add(window.slice(addedTo, searchFrom) + decoded);
      addedTo = searchFrom + length;
    }
    endsTo = searchFrom += length || 1;
  }
}

/** What the entity at `index` stands for, and how long it is: 0 where there is none. */
function readEntity(source: string, index: number): readonly [decoded: string, length: number] {
  const [entity = ''] = /^&[^&;]+;/.exec(source.slice(index, index + longestEntity)) ?? [];
  const decoded = decodeEntities(entity);
  return [decoded, decoded === entity ? 0 : entity.length];
}
