/** A change of a text that is given in tokens. Numbers of any size are taken modulo what there is. */
export interface TextEdit {
  readonly kind: (typeof editKinds)[number];
  readonly at: number;
  readonly length: number;
  /** Where the moved or copied tokens go. */
  readonly to: number;
  /** What is inserted. */
  readonly fragment: string;
}

/** What may happen to a text. `character` takes one UTF-16 unit away, `split` puts the fragment inside a token. */
export const editKinds = [
  'delete',
  'duplicate',
  'move',
  'swap',
  'insert',
  'replace',
  'truncate',
  'behead',
  'repeat',
  'character',
  'split',
] as const;

/** The text after the changes. */
export function applyEdits(tokens: readonly string[], edits: readonly TextEdit[]): string {
  return edits.reduce(applyEdit, tokens).join('');
}

function applyEdit(tokens: readonly string[], edit: TextEdit): readonly string[] {
  if (tokens.length === 0) return [edit.fragment];
  const at = edit.at % tokens.length;
  const until = Math.min(at + 1 + (edit.length % 4), tokens.length);
  const to = edit.to % (tokens.length + 1);
  const part = tokens.slice(at, until);
  switch (edit.kind) {
    case 'delete':
      return tokens.toSpliced(at, until - at);
    case 'duplicate':
      return tokens.toSpliced(to, 0, ...part);
    case 'move':
      return tokens.toSpliced(at, until - at).toSpliced(to, 0, ...part);
    case 'swap':
      return tokens.toSpliced(at, until - at, ...part.toReversed());
    case 'insert':
      return tokens.toSpliced(to, 0, edit.fragment);
    case 'replace':
      return tokens.toSpliced(at, until - at, edit.fragment);
    case 'truncate':
      return tokens.slice(0, at);
    case 'behead':
      return tokens.slice(at);
    case 'repeat':
      return tokens.toSpliced(at, 0, ...Array.from({ length: 2 + (edit.length % 3) }, () => part).flat());
    case 'character':
      return tokens.with(at, withoutUnit(tokens[at] ?? '', edit.to));
    case 'split': {
      const text = tokens[at] ?? '';
      const inside = edit.to % (text.length + 1);
      return tokens.toSpliced(at, 1, text.slice(0, inside), edit.fragment, text.slice(inside));
    }
    default:
      return edit.kind satisfies never;
  }
}

function withoutUnit(text: string, at: number): string {
  const index = text.length === 0 ? 0 : at % text.length;
  return text.slice(0, index) + text.slice(index + 1);
}
