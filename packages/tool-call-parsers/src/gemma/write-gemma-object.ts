import { stringEnd } from '../text-call/json-members.ts';

/** A colon behind a string makes that a key. */
const colon = /\s*:/y;

/** What no key without delimiters holds. */
const notBare = /[\s:,{}[\]<]|^$/;

/** JSON text of an object as Gemma writes it: strings between delimiters, keys mostly without them, no white space. */
export function writeGemmaObject(json: string, delimiter: string): string {
  const parts: string[] = [];
  for (let index = 0; ; ) {
    const quote = json.indexOf('"', index);
    parts.push(json.slice(index, quote < 0 ? json.length : quote).replace(/\s+/g, ''));
    if (quote < 0) return parts.join('');
    index = stringEnd(json, quote) + 1;
    const text = String(JSON.parse(json.slice(quote, index)));
    colon.lastIndex = index;
    parts.push(colon.test(json) && !notBare.test(text) ? text : delimiter + text + delimiter);
  }
}
