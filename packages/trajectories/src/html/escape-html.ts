/** Text as HTML shows it: nothing in it can become a tag, an attribute or a reference. Control characters are made visible. */
export function escapeHtml(text: string): string {
  return text.replace(special, (character) => entities[character] ?? controlPicture(character));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for; tab and newline are text.
const special = /[&<>"'`\u0000-\u0008\u000b-\u001f\u007f]/g;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** U+2400 and on are pictures of the control characters, in their order; that of DEL stands behind them. */
function controlPicture(character: string): string {
  return character === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + character.charCodeAt(0));
}
