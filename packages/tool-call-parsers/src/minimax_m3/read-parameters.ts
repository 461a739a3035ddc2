import { maximumJsonDepth } from '../json/json-scanner.ts';
import type { ToolIndex } from '../schema/tool-index.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import type { Answer } from '../stream/answer.ts';
import { readLabel } from '../stream/read-label.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { failHere } from '../text-call/fail-here.ts';
import { readValue, type ValueEnd } from '../text-call/read-value.ts';
import { elementSchema, isArray, itemName } from './element.ts';
import { marker, markers, skipMarker } from './marker.ts';

/** An element of elements whose end was not read yet. */
interface OpenElement {
  readonly name: string;
  readonly schema: ValueSchema;
  /** Its elements as items of an array, and as members of an object. */
  items: string;
  members: string;
  hasOnlyItems: boolean;
}

const nameEnds: TokenTable = /* @__PURE__ */ createTokenTable(['>', '<']);
const brackets: TokenTable = /* @__PURE__ */ createTokenTable(['<', '</']);

/** Reads the parameters of a call, each of them an element, and the end of the call, without recursion. */
export function* readParameters(answer: Answer, start: number, name: string, tools: ToolIndex): Reading<void> {
  const { window } = answer;
  const writer = createArgumentsWriter();
  writer.name = name;
  answer.open(start, writer);
  const open: OpenElement[] = [];
  for (;;) {
    const parent = open.at(-1);
    const found = yield* skipMarker(window);
    if (!found) return failHere(answer, found, marker);
    const at = window.position;
    const tag = yield* readTag(answer);
    if (tag === undefined) return;
    const end = `/${parent ? parent.name : 'invoke'}`;
    if (tag === end) {
      if (!parent) return answer.call(writer.finish());
      open.pop();
      const outer = open.at(-1);
      const json = isArray(parent.schema, parent.hasOnlyItems) ? `[${parent.items}]` : `{${parent.members}}`;
      if (outer) addElement(outer, parent.name, json);
      else writer.json(json);
    } else if (tag.startsWith('/')) {
      window.rewind(at);
      return failHere(answer, tag, `<${end}>`);
    } else if (open.length === maximumJsonDepth) return answer.fail('limit', 'nested too deeply', window.position);
    else {
      const schema = parent ? elementSchema(parent.schema, tag) : tools.parameter(name, tag);
      if (!parent) writer.key(tag);
      if (yield* hasElements(window)) {
        open.push({ name: tag, schema, items: '', members: '', hasOnlyItems: true });
        continue;
      }
      // Only what is certain flows: the string of a parameter itself.
      const target = parent ? createArgumentsWriter() : writer;
      const fault = yield* readValue(window, target, schema, endOf(tag));
      if (fault) return answer.fail(fault, fault === 'limit' ? 'the call is too long' : `</${tag}>`, window.position);
      if (parent) addElement(parent, tag, target.drainArguments(window));
    }
  }
}

/** Reads a tag, up to behind its end: the name of the element, behind a slash where it is an end tag. */
function* readTag(answer: Answer): Reading<string | undefined> {
  const { window } = answer;
  const bracket = yield* skipSpace(window);
  if (bracket !== '<') {
    failHere(answer, bracket, '<');
    return undefined;
  }
  window.index += 1;
  const tag = yield* readLabel(answer, nameEnds, undefined, '>');
  window.index += Number(tag !== undefined);
  return tag;
}

/** Whether an element, behind whose start tag the window stands, begins with another one. Otherwise it is text. */
function* hasElements(window: TextWindow): Reading<boolean> {
  const from = window.position;
  const isParent = (yield* skipMarker(window)) && (yield* peekToken(window, brackets)) === '<';
  window.rewind(from);
  return Boolean(isParent);
}

/** The end tag of an element of text ends it only before another tag. */
function endOf(name: string): ValueEnd {
  const endTags = createTokenTable([`</${name}>`]);
  return {
    closers: markers,
    *endsAt(window) {
      yield* skipMarker(window);
      const endTag = yield* peekToken(window, endTags);
      window.index += endTag?.length ?? 0;
      yield* skipSpace(window);
      return Boolean(endTag && (yield* peekToken(window, markers)));
    },
  };
}

function addElement(parent: OpenElement, name: string, json: string): void {
  const lead = parent.items && ', ';
  parent.items += lead + json;
  parent.members += `${lead}${JSON.stringify(name)}: ${json}`;
  parent.hasOnlyItems &&= name === itemName;
}
