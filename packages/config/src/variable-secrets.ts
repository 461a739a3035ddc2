import { Secret } from '@talaria/core';
import { type Variables, variablesOfTemplate } from './expand-variables.ts';

const secretWord =
  /(?:^|[^a-z])(?:api)?keys?(?:$|[^a-z])|token|secret|passw|credential|cookie|bearer|authori[sz]ation|(?:^|[^a-z])(?:auth|pat|pass|pwd)(?:$|[^a-z])/i;

/** Whether a variable, field or header of this name most likely holds a secret: `API_KEY`, `X-Auth-Token`, `GITHUB_PAT`. */
export function isSecretName(name: string): boolean {
  return secretWord.test(name);
}

/**
 * What variables hold that are named in texts which may be secret in part, such as the header `Bearer ${KEY}`: the whole, where
 * the variable or the field is called like a secret; else the password and the query values of an address. Everything else
 * stands in ordinary output, too.
 *
 * @param templates texts with `${NAME}`, by dotted path
 * @param mayHoldSecrets whether the text at a path may
 */
export function collectVariableSecrets(
  templates: ReadonlyMap<string, string>,
  variables: Variables,
  mayHoldSecrets: (path: string) => boolean,
): readonly Secret[] {
  const secrets = new Map<string, Secret>();
  for (const [path, text] of templates) {
    if (!mayHoldSecrets(path)) continue;
    const field = path.slice(path.lastIndexOf('.') + 1);
    for (const name of variablesOfTemplate(text)) {
      const value = Object.hasOwn(variables, name) ? (variables[name] ?? '') : '';
      const parts = isSecretName(name) || isSecretName(field) ? [value] : secretsInAddress(value);
      for (const part of parts) if (part !== '') secrets.set(`${name}\0${part}`, new Secret(name, part));
    }
  }
  return [...secrets.values()];
}

/** The password and the values of the query of an address, as they are written and as they are meant. */
export function secretsInAddress(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const { password, searchParams } = url;
  return [...new Set([password, decode(password), ...searchParams.values()])].filter((part) => part !== '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
