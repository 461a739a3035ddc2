import { maximumJsonDepth } from '../json/json-scanner.ts';
import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import type { TextWindow } from '../text/text-window.ts';
import { elementSchema } from './element.ts';
import { addValue, elementJson, type OpenElement, openElement } from './open-element.ts';

const space = '[ \\t\\r\\n]*';
const escapedMarker = ']<]minimax\\[>\\[';
const tagStart = `${space}${escapedMarker}${space}<`;
/**
 * An end tag; or a start tag before another one; or a start tag, text, and the end tag before another tag. That is read
 * ten times faster in one piece than bit by bit.
 */
const wholePart: RegExp = /* @__PURE__ */ new RegExp(
  `${tagStart}(?:/([^\\s<>]{1,256})>|([^\\s<>/][^\\s<>]{0,255})>(?:(?=${tagStart}[^/])|([^]*?)${escapedMarker}${space}</\\2>${space}(?=${escapedMarker})))`,
  'y',
);

/**
 * Takes parts as long as each is there in one piece, ends before `limit` and is right, from those of `innermost` on. The
 * window then stands behind them, in the element that is given. A plain loop beside the reading that may pause, and
 * little made for a part: nested elements are many and small.
 */
export function takeParts(window: TextWindow, limit: number, innermost: OpenElement): OpenElement {
  let parent = innermost;
  for (;;) {
    wholePart.lastIndex = window.index;
    const found = wholePart.exec(window.source);
    const end = wholePart.lastIndex;
    if (!found || window.base + end >= limit) return parent;
    const endName = found[1];
    const name = found[2] ?? '';
    const text = found[3];
    if (endName !== undefined) {
      if (!parent.outer || endName !== parent.name) return parent;
      addValue(parent.outer, endName, elementJson(parent));
      parent = parent.outer;
    } else if (parent.depth === maximumJsonDepth) return parent;
    else if (text === undefined) parent = openElement(parent, name);
    else addValue(parent, name, typeText(text, elementSchema(parent.schema, name)));
    window.index = end;
  }
}

/** Whether a part is there in one piece, so that {@link takeParts} left it only because it is wrong or too long. */
export function isPartThere(window: TextWindow): boolean {
  wholePart.lastIndex = window.index;
  return wholePart.test(window.source);
}

const plainLiteral = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null|\{\})$/;
const plainWords = /^\s*[a-z](?!(?:rue|alse|ull|one)\s*$)/i;

/** The JSON text of a value. Nested values are many, so what they mostly are is told before it is tried to read them. */
function typeText(text: string, schema: ValueSchema): string {
  if (schema.types === undefined) {
    if (plainLiteral.test(text)) return text;
    if (plainWords.test(text)) return JSON.stringify(text);
  }
  return typeValue(text, schema);
}
