/** Characters that are escaped in one go: of a long text each takes `JSON.stringify` up to twice as long. */
const pieceLength = 4096;

/** A text as it stands between the quotes of a JSON string. */
export function escapeText(text: string): string {
  let json = '';
  for (let from = 0; from < text.length; ) {
    let to = from + pieceLength;
    // The halves of a character that are torn apart would be escaped.
    if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
    json += JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  return json;
}
