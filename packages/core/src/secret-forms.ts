import { Buffer } from 'node:buffer';
import type { Secret } from './secret.ts';

/** Shortest text that is looked for: shorter ones occur in ordinary text. */
const minFormLength = 8;

/**
 * The texts by which a secret of 8 characters or more can be known in an output: as it is; as JSON writes it inside a
 * string, once and inside another string; as part of an address and of a form; in hexadecimal digits; in Base64 in both
 * alphabets, at any place of a longer text. Every one has 8 characters or more.
 */
export function secretForms(secret: Secret): readonly string[] {
  const value = secret.reveal();
  if (value.length < minFormLength) return [];
  return [...new Set([...writtenForms(value), ...encodedForms(secret)])].filter((form) => form.length >= minFormLength);
}

/**
 * Those of the {@link secretForms} that programs break into lines: hexadecimal digits and Base64. Every one has 8 characters or
 * more.
 */
export function encodedForms(secret: Secret): readonly string[] {
  const bytes = Buffer.from(secret.reveal());
  if (secret.reveal().length < minFormLength) return [];
  const hex = bytes.toString('hex');
  const base64 = [bytes.toString('base64'), ...[0, 1, 2].map((before) => insideBase64(bytes, before))];
  const inUrls = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([hex, hex.toUpperCase(), ...base64, ...inUrls])].filter((form) => form.length >= minFormLength);
}

function writtenForms(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  const inUrl = encodeURIComponent(value.toWellFormed());
  return [
    value,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    inUrl,
    lowerEscapes(inUrl),
    inUrl.replaceAll('%20', '+'),
    encodeURI(value.toWellFormed()),
  ];
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (text) => text.toLowerCase());
}

/** The characters that are the same whatever stands around the bytes, if the number of bytes before them is of this rest by 3. */
function insideBase64(bytes: Uint8Array, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
