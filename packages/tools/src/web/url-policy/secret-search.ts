import { type Secret, secretForms } from '@talaria/core';

/** How often percent signs are undone: more than any server does. */
const decodingRounds = 3;

/**
 * Creates what finds a secret of 8 characters or more in an address, in any of its `secretForms`, whatever the case (host
 * names lose it) and however often percent-encoded. Gives the secret's name.
 */
export function createSecretSearch(secrets: readonly Secret[]): (url: string) => string | undefined {
  const forms = secrets.flatMap((secret) =>
    secretForms(secret).map((form) => ({ name: secret.name, form: form.toLowerCase() })),
  );
  if (forms.length === 0) return () => undefined;
  return (url) => {
    let text = url;
    for (let round = 0; round <= decodingRounds; round += 1) {
      const lowered = text.toLowerCase();
      const found = forms.find(({ form }) => lowered.includes(form));
      if (found !== undefined) return found.name;
      const decoded = decodePercent(text);
      if (decoded === text) return undefined;
      text = decoded;
    }
    return undefined;
  };
}

/** Unlike `decodeURIComponent`, leaves what is broken and decodes the rest. */
function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}
