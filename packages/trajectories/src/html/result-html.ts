import { clipText, isJsonObject, type JsonObject, type JsonValue, parseJson } from '@talaria/core';
import { escapeHtml } from './escape-html.ts';

/** So much of a tool's result is shown. */
const maxResultChars = 4000;

/** So much of one entry of its list. */
const maxEntryChars = 200;
const maxEntries = 30;

/** Fields that hold what a tool wrote, rather than something about it. */
const textFields: ReadonlySet<string> = new Set(['output', 'content', 'stdout', 'stderr', 'diff']);

/**
 * The text of a tool's result. Of a JSON object its output is shown as text and all else as a list; a long text is cut in
 * the middle and says how much is missing.
 */
export function renderResultText(text: string): string {
  const parsed = text.startsWith('{') ? parseJson(text) : undefined;
  return parsed?.ok === true && isJsonObject(parsed.value) ? renderFields(parsed.value) : renderText(text);
}

function renderFields(fields: JsonObject): string {
  const entries = Object.entries(fields);
  const texts = entries
    .filter(([name, value]) => isText(name, value) && value !== '')
    .map(([, value]) => String(value));
  const facts = entries.filter(([name, value]) => !isText(name, value));
  const items = facts.slice(0, maxEntries).map(([name, value]) => {
    const shown = clipText(typeof value === 'string' ? value : JSON.stringify(value), maxEntryChars).text;
    return `<li>${escapeHtml(`${clipText(name, maxEntryChars).text}: ${shown}`)}</li>`;
  });
  if (facts.length > maxEntries) items.push(`<li>${facts.length - maxEntries} more</li>`);
  const list = items.length === 0 ? '' : `<ul class="fields">${items.join('')}</ul>`;
  return `${texts.map(renderText).join('')}${list}`;
}

function isText(name: string, value: JsonValue | undefined): boolean {
  return typeof value === 'string' && textFields.has(name);
}

function renderText(text: string): string {
  return `<pre>${escapeHtml(clipText(text, maxResultChars).text)}</pre>`;
}
