import { splitTokens } from '../fuzz/vector-tokens.ts';
import { seededNumbers } from '../src/contract/chunkings.ts';
import type { TestedFormat } from './tested-formats.ts';

/** Texts that grow: a lead, and what is repeated behind it. */
export interface TextFamily {
  readonly title: string;
  readonly lead: string;
  readonly unit: string;
}

/** What may be repeated behind any beginning of a call. */
const units = [
  '{',
  '[',
  '(',
  '"',
  "'",
  '<',
  '</',
  ' ',
  '\n',
  'x',
  '\\',
  '\\"',
  '\\n',
  ',',
  '"a":1,',
  '1,',
  '"b",',
  'a=1,',
  '</s>',
];

/** How many beginnings of calls are tried, each with a few units. */
const beginnings = 8;

/** Families of texts that are hostile to a format, made of its markers and of its vectors. */
export function textFamilies({ parser, vectors }: TestedFormat): readonly TextFamily[] {
  const family = (lead: string, unit: string): TextFamily => ({
    title: `${JSON.stringify(lead.slice(-40))}, then ${JSON.stringify(unit.slice(0, 40))} over and over`,
    lead,
    unit,
  });
  const markers = parser.startMarkers.slice(0, 4);
  const calls = vectors.filter((vector) => vector.toolCalls.length > 0).map((vector) => vector.input);
  const long = calls.filter((text) => splitTokens(text).length > 20);
  const first = calls[0] ?? '';
  const firstMarker = markers[0] ?? '';
  const withoutEnd = splitTokens(first).slice(0, -1).join('');
  return [
    family('', 'word '),
    family('a', ' '),
    family('a', '</s>'),
    ...markers.map((marker) => family('', marker)),
    ...[' \n', '{', '{"a":"', '</s>', firstMarker.slice(0, -1)].map((end) => family('', `${firstMarker}${end}`)),
    family('', first),
    family(first, '</s> '),
    family('', withoutEnd),
    family('', withoutEnd.slice(0, Math.ceil(withoutEnd.length / 2))),
    ...beginningsOf(long).map(({ lead, unit }) => family(lead, unit)),
  ].filter(({ unit }) => unit !== '');
}

/** Calls that break off somewhere inside, and what goes on there. The same for each run. */
function beginningsOf(texts: readonly string[]): readonly { readonly lead: string; readonly unit: string }[] {
  const random = seededNumbers(texts.join('').length);
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: texts.length === 0 ? 0 : beginnings }, (_, index) => {
    const tokens = splitTokens(texts[below(texts.length)] ?? '');
    const at = 1 + Math.floor(((index + random()) / beginnings) * (tokens.length - 1));
    const repeated = tokens.slice(Math.max(at - 1 - below(6), 0), at).join('');
    return {
      lead: tokens.slice(0, at).join(''),
      unit: index % 2 === 0 ? repeated : (units[below(units.length)] ?? 'x'),
    };
  });
}
