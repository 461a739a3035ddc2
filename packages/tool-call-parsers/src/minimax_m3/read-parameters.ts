import { maximumJsonDepth } from '../json/json-scanner.ts';
import type { ToolIndex } from '../schema/tool-index.ts';
import type { Answer } from '../stream/answer.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { peekToken, type Reading, skipSpace, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable } from '../text/token-table.ts';
import { createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { readValue, type ValueEnd } from '../text-call/read-value.ts';
import { elementSchema } from './element.ts';
import { marker, markers, skipMarker } from './marker.ts';
import { addValue, elementJson, openCall, openElement } from './open-element.ts';
import { brackets, readTag } from './read-tag.ts';
import { isPartThere, takeParts } from './take-parts.ts';

/** How much text is waited for, that a part may be there in one piece. */
const waitLength = 256;

/** Reads the parameters of a call, each of them an element, and the end of the call, without recursion. */
export function* readParameters(answer: Answer, start: number, toolName: string, tools: ToolIndex): Reading<void> {
  const { window } = answer;
  const writer = createArgumentsWriter();
  writer.name = toolName;
  answer.open(start, writer);
  let parent = openCall(writer, toolName, tools);
  for (;;) {
    parent = takeParts(window, start + maximumCallLength, parent);
    const { outer, schema } = parent;
    // What stands in an element of elements does not flow, so it can wait.
    const isShort = outer && window.source.length - window.index < waitLength && !isPartThere(window);
    if (isShort && (yield* waitForMore(window))) continue;
    const at = window.position;
    const tag = yield* readTag(answer);
    if (!tag) return;
    const { name, isEnd } = tag;
    if (isEnd ? name !== parent.name : parent.depth === maximumJsonDepth) {
      window.rewind(at);
      return isEnd
        ? answer.fail('bad-structure', `${marker}</${parent.name}>`, at)
        : answer.fail('limit', 'nested too deeply', at);
    }
    if (isEnd) {
      if (!outer) return answer.call(writer.finish());
      addValue(outer, name, elementJson(parent));
      parent = outer;
    } else if (yield* hasElements(window)) parent = openElement(parent, name);
    else {
      const target = outer ? createArgumentsWriter() : writer;
      if (!outer) writer.key(name);
      const fault = yield* readValue(window, target, elementSchema(schema, name), endOf(name));
      if (fault) return answer.fail(fault, fault === 'limit' ? 'the call is too long' : `</${name}>`, window.position);
      if (outer) addValue(parent, name, target.drainArguments(window));
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
