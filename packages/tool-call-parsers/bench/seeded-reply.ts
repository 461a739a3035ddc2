import type { ToolCallParser } from '@talaria/tool-call-parsers';

const codeLines = [
  'def load(path: str) -> dict:',
  '    """Reads a table, "as is", and keeps \\t and \\n in it."""',
  "    with open(path, encoding='utf-8') as handle:",
  '        rows = [line.rstrip("\\n").split("\\t") for line in handle]',
  '    return {row[0]: [int(cell) for cell in row[1:] if cell != ""] for row in rows}',
  '',
  '# Résumé: größer, 東京, and a C:\\path\\to\\file',
];

/** A reply with one call of about `length` characters: code in a string, and nested data in equal parts by lines. */
export function seededReply(parser: ToolCallParser, length: number): string {
  const content: string[] = [];
  const edits: object[] = [];
  const build = (): string =>
    parser.render([{ name: 'write_file', arguments: { path: 'src/load.py', content: content.join('\n'), edits } }], {
      content: 'I will write the file now.',
    });
  let size = build().length;
  for (let line = 0; size < length; line += 1) {
    const code = codeLines[line % codeLines.length] ?? '';
    content.push(code);
    size += JSON.stringify(code).length;
    if (line % 8 === 0) {
      const edit = { line, keep: line % 3 === 0, weight: line / 7, tags: ['a', `t${line}`, null] };
      edits.push(edit);
      size += JSON.stringify(edit).length + 10;
    }
  }
  return build();
}
