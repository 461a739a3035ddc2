/** What acts on a terminal or reorders text, and halves of characters; line feeds and tabs do no harm. */
const acting = /(?!\r\n|[\n\t])[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** The same behind what JSON escapes by itself. */
const actingInJson = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * Text of a model for a terminal, on several lines: what would act on the terminal, or change the order in which text is
 * read, is named instead: `<U+001B>`. A text that is to be shown in parts must not be cut inside a line end or a character.
 */
export function visibleText(text: string): string {
  return text.replace(acting, nameCharacter);
}

/** The same for one line: line feeds and tabs are named, too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t\r]/gu, nameCharacter);
}

/** JSON text of a value, all of whose characters are safe on a terminal. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(actingInJson, escapeUnit);
}

/** JSON text that somebody else wrote, made safe for a terminal; still the text of the same value. */
export function visibleJsonText(json: string): string {
  return json.replace(actingInJson, escapeUnit);
}

/** The name of a character: `<U+200B>`. */
export function nameCharacter(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
