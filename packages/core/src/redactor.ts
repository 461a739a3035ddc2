import { redactWrapped } from './redact-wrapped.ts';
import type { Secret } from './secret.ts';
import { encodedForms, secretForms } from './secret-forms.ts';

/** Takes secrets out of a text. */
export type Redactor = (text: string) => string;

/**
 * Creates what replaces every occurrence of a secret of 8 characters or more, in any of its {@link secretForms}, by
 * `[redacted:NAME]`; Base64 and hexadecimal digits also where they are broken into lines. Where one secret holds another, the
 * longer goes as a whole.
 */
export function createRedactor(secrets: Iterable<Secret>): Redactor {
  const replacements = new Map<string, string>();
  const wrapped = new Map<string, string>();
  for (const secret of secrets) {
    for (const form of secretForms(secret)) {
      if (!replacements.has(form)) replacements.set(form, secret.toString());
    }
    for (const form of encodedForms(secret)) {
      if (!wrapped.has(form)) wrapped.set(form, secret.toString());
    }
  }
  if (replacements.size === 0) return (text) => text;
  const forms = [...replacements.keys()].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(forms.map(literalPattern).join('|'), 'g');
  const longestFirst = new Map([...wrapped].sort(([left], [right]) => right.length - left.length));
  // What is broken into lines goes first: a shorter secret may stand whole on a line of a longer one.
  return (text) => redactWrapped(text, longestFirst).replace(pattern, (form) => replacements.get(form) ?? form);
}

/** Replaces every occurrence of a secret as {@link createRedactor} does, for a text or two. */
export function redactSecrets(text: string, secrets: Iterable<Secret>): string {
  return createRedactor(secrets)(text);
}

function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
