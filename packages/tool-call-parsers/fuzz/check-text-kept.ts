import type { ParseOptions, ParseResult, ToolCallParser } from '@talaria/tool-call-parsers';
import { demand, show } from '../src/contract/contract-case.ts';
import { sentinels } from './sentinels.ts';
import { withoutTurnEnd } from './turn-end.ts';

/** The markup that plain answers of some formats carry. Beside it, text without a call is content as in any format. */
export const framedFormats: ReadonlyMap<string, RegExp> = new Map([
  ['gpt_oss', /<\|/],
  ['kimi_k3', /<\|(?:open|close)\|>/],
  ['ernie45', /<\/?response>/],
  ['gigachat3', /<\|message_sep\|>/],
]);

/** What may stand before a part of a call that says nothing, such as an unknown key. */
const opener = /[<[{(`:]/;

/**
 * I3 and I5 without knowing where the calls are. Text without a call is content to the letter. Content is part of the
 * text, in order, but for the line feeds that join it. And each sentinel comes out once as content, or in a call; or it
 * stands inside a call where nothing is said: then, cut behind it, the text shows that call's beginning as content.
 */
export function requireTextKept(
  parser: ToolCallParser,
  text: string,
  result: ParseResult,
  options: ParseOptions,
): void {
  const content = result.content ?? '';
  const where = (): string => `${show(text)} gave ${show(result)}`;
  const isFramed = framedFormats.get(parser.name)?.test(text) === true;
  if (result.toolCalls.length === 0 && !isFramed) {
    // Harmony ends its messages itself, so other end-of-turn tokens are text there.
    const expected = parser.name === 'gpt_oss' ? text : withoutTurnEnd(text);
    demand(content === expected, () => `Text without a call changed: ${where()}`);
  }
  demand(isPartOf(content, text), () => `Content that is not in the text, or in another order: ${where()}`);
  const calls = JSON.stringify(result.toolCalls);
  for (const sentinel of sentinels) {
    const at = text.indexOf(sentinel);
    if (at < 0) continue;
    const times = content.split(sentinel).length - 1;
    const written = text.split(sentinel).length - 1;
    demand(times <= written, () => `Text came twice: ${where()}`);
    if (times === written || calls.includes(sentinel)) continue;
    demand(
      isInsideCall(parser, text, sentinel, options),
      () => `Text was lost, ${JSON.stringify(sentinel)}: ${where()}`,
    );
  }
}

/** Whether each place of the sentinel that is not content lies behind the beginning of what is no complete call yet. */
function isInsideCall(parser: ToolCallParser, text: string, sentinel: string, options: ParseOptions): boolean {
  // Harmony drops whole messages, whatever they say: those of the analysis channel.
  if (parser.name === 'gpt_oss' && text.includes('<|channel|>')) return true;
  for (let at = text.indexOf(sentinel); at >= 0; at = text.indexOf(sentinel, at + 1)) {
    const { content } = parser.parse(text.slice(0, at + 1), options);
    const cut = content ?? '';
    if (!cut.endsWith(sentinel)) return false;
    if (opener.test(cut)) return true;
  }
  return false;
}

/** Whether the characters of `content`, but for line feeds, occur in `text` in order. */
function isPartOf(content: string, text: string): boolean {
  let from = 0;
  for (let index = 0; index < content.length; index += 1) {
    const unit = content[index] ?? '';
    if (unit === '\n') continue;
    const found = text.indexOf(unit, from);
    if (found < 0) return false;
    from = found + 1;
  }
  return true;
}
