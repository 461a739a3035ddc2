import type { readArgumentsObject } from '../json/json-arguments.ts';
import { toolIndexOf } from '../schema/tool-index.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import type { Answer } from '../stream/answer.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { type ArgumentsWriter, createArgumentsWriter } from './arguments-writer.ts';
import { failHere } from './fail-here.ts';
import { readAttributes } from './read-attributes.ts';
import { readToolTag } from './read-tool-tag.ts';
import type { ValueFault } from './read-value.ts';

/** How a format writes a call whose parts are tags with attributes. */
export interface AttributedCall {
  /** What begins the tag of a parameter, ends its value, and ends the call. */
  readonly tags: readonly [parameterStart: string, parameterEnd: string, callEnd: string];
  /** The attributes that hold the names of the tool and of a parameter. */
  readonly keys: readonly [tool: string, parameter: string];
  /** Undoes the escapes in a value of an attribute. */
  readonly decode?: ((raw: string) => string) | undefined;
  /** What ends the tags of the call and of its parameters. */
  readonly tagEnd: TokenTable;
  /** What begins the next parameter, or ends the call. */
  readonly parts: TokenTable;
  /** Reads the value of a parameter, and its end. */
  readonly readArgument: (
    window: TextWindow,
    writer: ArgumentsWriter,
    declared: ValueSchema,
    attributes: ReadonlyMap<string, string>,
  ) => Reading<ValueFault>;
  /** Reads the JSON object that may stand for all parameters. */
  readonly readObject?: typeof readArgumentsObject | undefined;
}

/** Makes the reading of a call that began at `start`, behind the name of whose tag the window stands. */
export function attributedCall({
  tags: [parameterStart, parameterEnd, callEnd],
  tagEnd,
  parts,
  keys: [toolKey, parameterKey],
  decode,
  readArgument,
  readObject,
}: AttributedCall): (answer: Answer, start: number) => Reading<void> {
  const callEnds = createTokenTable([callEnd]);

  return function* readCall(answer, start) {
    const { window, options } = answer;
    const writer = createArgumentsWriter();
    answer.open(start, writer);
    const name = yield* readToolTag(answer, tagEnd, toolKey, decode);
    if (name === undefined) return;
    writer.name = name;
    if ((yield* skipSpace(window)) === '{' && readObject) {
      const call = yield* readObject(answer, { start, name, resumeAt: window.position });
      if (!call) return;
      yield* skipSpace(window);
      const end = yield* peekToken(window, callEnds);
      if (!end) return failHere(answer, end, callEnd);
      window.index += end.length;
      return answer.call(call);
    }
    const tools = toolIndexOf(options.tools);
    for (;;) {
      yield* skipSpace(window);
      const part = yield* peekToken(window, parts);
      if (!part) return failHere(answer, part, `${parameterStart} or ${callEnd}`);
      window.index += part.length;
      if (part === callEnd) return answer.call(writer.finish());
      const attributes = yield* readAttributes(answer, tagEnd, decode);
      if (!attributes) return;
      const key = attributes.get(parameterKey);
      if (key === undefined) return answer.fail('bad-name', 'a parameter has no name', window.position);
      writer.key(key);
      const fault = yield* readArgument(window, writer, tools.parameter(name, key), attributes);
      if (fault) return answer.fail(fault, fault === 'limit' ? 'the call is too long' : parameterEnd, window.position);
    }
  };
}
