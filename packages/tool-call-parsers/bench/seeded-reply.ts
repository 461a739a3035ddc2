import type { ToolCallParser } from '@talaria/tool-call-parsers';

/** What models write to files most: code and prose, with the quotes and escapes that these have. */
const codeLines = [
  'def load(path: str, separator: str = "\\t") -> dict[str, list[int]]:',
  '    """Reads a table whose first column is the key and whose other columns are whole numbers."""',
  "    with open(path, encoding='utf-8') as handle:",
  '        rows = [line.rstrip().split(separator) for line in handle if line.strip()]',
  '    return {row[0]: [int(cell) for cell in row[1:]] for row in rows}',
  '',
  '# The table may be large, so nothing but the current row is ever held twice; see the notes on memory below.',
  'if __name__ == "__main__":',
  '    print(load(sys.argv[1]))',
];

/** A reply with one call of about `length` characters: code in a string, and nested data beside it. */
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
    if (line % 16 === 0) {
      const edit = { line, keep: line % 3 === 0, weight: line / 7, tags: ['a', `t${line}`, null] };
      edits.push(edit);
      size += JSON.stringify(edit).length + 10;
    }
  }
  return build();
}
