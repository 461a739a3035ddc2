import type { RenderCall, ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';
import type { FormatMaterial } from './format-material.ts';
import { randomCalls } from './random-calls.ts';
import type { RandomSource } from './random-source.ts';
import { sentinels } from './sentinels.ts';
import { applyEdits, editKinds, type TextEdit } from './text-edit.ts';
import { toolFor } from './value-schema.ts';
import { splitTokens } from './vector-tokens.ts';

/** Longest text, in UTF-16 units: many short texts find more than few long ones. */
const maximumLength = 400;

/** A text, and the tools that it is read with. */
export interface FuzzInput {
  readonly text: string;
  readonly tools: readonly ToolSchema[] | undefined;
}

/** A text of or near a format. `strangers` are fragments of other formats. */
export function generateInput(material: FormatMaterial, strangers: readonly string[], random: RandomSource): FuzzInput {
  const kind = random.number();
  const written = kind > 0.9 ? writtenCalls(material.parser, random) : undefined;
  if (written !== undefined) return written;
  const { tools } = random.pick(material.toolLists);
  const text = kind < 0.4 ? soup(material, strangers, random) : variation(material, strangers, random);
  return { text: text.slice(0, maximumLength), tools };
}

/** Words that mention pieces of a format's markup. */
export function generateProse(material: FormatMaterial, random: RandomSource): string {
  const parts = Array.from({ length: 1 + random.below(3) }, () => `word ${fragment(material, [''], random)}`);
  return parts.join(random.chance(0.5) ? ' ' : '');
}

function soup(material: FormatMaterial, strangers: readonly string[], random: RandomSource): string {
  const parts = Array.from({ length: 1 + random.below(14) }, () => fragment(material, strangers, random));
  return parts.join('');
}

/** One or two texts of the format, changed in some places. */
function variation(material: FormatMaterial, strangers: readonly string[], random: RandomSource): string {
  const tokens = [...random.pick(material.texts)];
  if (random.chance(0.15)) tokens.push(fragment(material, strangers, random), ...random.pick(material.texts));
  const edits = Array.from({ length: random.below(5) }, (): TextEdit => {
    return {
      kind: random.pick(editKinds),
      at: random.below(1000),
      length: random.below(1000),
      to: random.below(1000),
      fragment: fragment(material, strangers, random),
    };
  });
  return applyEdits(tokens, edits);
}

function fragment(material: FormatMaterial, strangers: readonly string[], random: RandomSource): string {
  const kind = random.number();
  if (kind < 0.3 && material.parser.startMarkers.length > 0) return random.pick(material.parser.startMarkers);
  if (kind < 0.85) return random.pick(material.fragments);
  return random.pick(kind < 0.93 ? sentinels : strangers);
}

/** Random calls as the format writes them, sometimes changed in one place. */
function writtenCalls(parser: ToolCallParser, random: RandomSource): FuzzInput | undefined {
  const calls = randomCalls(random);
  const tools = uniqueTools(calls);
  const content = random.chance(0.3) ? 'Some words.' : undefined;
  if (!parser.canRender(calls, { tools, content })) return undefined;
  const text = parser.render(calls, { tools, content });
  if (random.chance(0.5)) return { text, tools };
  const at = random.below(text.length + 1);
  const kind = random.pick(editKinds);
  const edit = { kind, at, length: at, to: random.below(1000), fragment: random.pick(sentinels) };
  return { text: applyEdits(splitTokens(text), [edit]), tools };
}

function uniqueTools(calls: readonly RenderCall[]): readonly ToolSchema[] {
  return [...new Map(calls.map((call) => [call.name, toolFor(call.name, call.arguments)])).values()];
}
