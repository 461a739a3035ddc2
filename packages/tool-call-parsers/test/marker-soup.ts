import fc from 'fast-check';
import type { FormatMaterial } from '../fuzz/format-material.ts';
import { sentinels } from '../fuzz/sentinels.ts';
import { applyEdits, editKinds, type TextEdit } from '../fuzz/text-edit.ts';

/** Text made of the markers of a format, of pieces of its texts, and of what else may stand between them. */
export function markerSoup(material: FormatMaterial): fc.Arbitrary<string> {
  return fc.array(fragment(material), { maxLength: 24 }).map((parts) => parts.join(''));
}

/** A text of a format, given in tokens, after some changes. */
export function changedText(tokens: readonly string[], material: FormatMaterial): fc.Arbitrary<string> {
  const edit: fc.Arbitrary<TextEdit> = fc.record({
    kind: fc.constantFrom(...editKinds),
    at: fc.nat(),
    length: fc.nat(),
    to: fc.nat(),
    fragment: fragment(material),
  });
  return fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) => applyEdits(tokens, edits));
}

function fragment({ parser, fragments }: FormatMaterial): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('', ...parser.startMarkers) },
    { weight: 8, arbitrary: fc.constantFrom(...fragments) },
    { weight: 1, arbitrary: fc.constantFrom(...sentinels) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: 'binary' }) },
  );
}

/** Numbers that say where a text is cut. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });

/** The pieces of a text that is cut at these places. */
export function cutAt(text: string, places: readonly number[]): readonly string[] {
  const sorted = [...new Set([0, text.length, ...places.map((place) => place % (text.length + 1))])].sort(
    (a, b) => a - b,
  );
  return sorted.slice(1).map((to, index) => text.slice(sorted[index], to));
}
