import { maximumJsonDepth } from '../json/json-scanner.ts';
import type { ToolIndex } from '../schema/tool-index.ts';
import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import type { Answer } from '../stream/answer.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { peekToken, type Reading, skipSpace, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable } from '../text/token-table.ts';
import { type ArgumentsWriter, createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { readValue, type ValueEnd } from '../text-call/read-value.ts';
import { elementSchema, isArray, itemName } from './element.ts';
import { marker, markers, skipMarker } from './marker.ts';
import { brackets, readTag, takePart } from './next-part.ts';

/** An element of elements whose end was not read yet. */
interface OpenElement {
  readonly name: string;
  readonly schema: ValueSchema;
  readonly members: (readonly [name: string, json: string])[];
}

/** How much text is waited for, that a part may be there in one piece. */
const waitLength = 256;

/** Reads the parameters of a call, each of them an element, and the end of the call, without recursion. */
export function* readParameters(answer: Answer, start: number, toolName: string, tools: ToolIndex): Reading<void> {
  const { window } = answer;
  const writer = createArgumentsWriter();
  writer.name = toolName;
  answer.open(start, writer);
  const open: OpenElement[] = [];
  for (;;) {
    const parent = open.at(-1);
    const at = window.position;
    const whole = takePart(window, start + maximumCallLength);
    // What stands in an element of elements does not flow, so it can wait.
    const isShort = !whole && parent && window.source.length - window.index < waitLength;
    if (isShort && (yield* waitForMore(window))) continue;
    const part = whole ?? (yield* readTag(answer));
    if (!part) return;
    const { name, isEnd, isParent, text } = part;
    const wanted = parent?.name ?? 'invoke';
    if (isEnd ? name !== wanted : open.length === maximumJsonDepth) {
      window.rewind(at);
      return isEnd
        ? answer.fail('bad-structure', `${marker}</${wanted}>`, at)
        : answer.fail('limit', 'nested too deeply', at);
    }
    if (isEnd) {
      if (!parent) return answer.call(writer.finish());
      open.pop();
      addValue(writer, open.at(-1), name, jsonOf(parent));
    } else {
      const schema = parent ? elementSchema(parent.schema, name) : tools.parameter(toolName, name);
      if (isParent ?? (yield* hasElements(window))) open.push({ name, schema, members: [] });
      else if (text !== undefined) addValue(writer, parent, name, typeText(text, schema));
      else {
        const target = parent ? createArgumentsWriter() : writer;
        if (!parent) writer.key(name);
        const fault = yield* readValue(window, target, schema, endOf(name));
        if (fault)
          return answer.fail(fault, fault === 'limit' ? 'the call is too long' : `</${name}>`, window.position);
        if (parent) addValue(writer, parent, name, target.drainArguments(window));
      }
    }
  }
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

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const plainWords = /^[a-z](?!(?:rue|alse|ull|one)\s*$)/i;

/** The JSON text of a value. Nested values are many, so what they mostly are is told before it is tried to read them. */
function typeText(text: string, schema: ValueSchema): string {
  if (schema.types === undefined) {
    if (plainNumber.test(text)) return text;
    if (plainWords.test(text)) return JSON.stringify(text);
  }
  return typeValue(text, schema);
}

/** An element of elements as JSON text. */
function jsonOf({ schema, members }: OpenElement): string {
  const hasOnlyItems = members.every(([name]) => name === itemName);
  const isList = isArray(schema, hasOnlyItems);
  let json = '';
  for (const [name, value] of members) json += (json && ', ') + (isList ? value : `${JSON.stringify(name)}: ${value}`);
  return isList ? `[${json}]` : `{${json}}`;
}

/** Adds a value to an element of elements, or else to the arguments. */
function addValue(writer: ArgumentsWriter, parent: OpenElement | undefined, name: string, json: string): void {
  if (parent) parent.members.push([name, json]);
  else {
    writer.key(name);
    writer.json(json);
  }
}
