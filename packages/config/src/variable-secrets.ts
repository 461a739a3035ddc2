import { Secret } from '@talaria/core';
import { type Variables, variablesOfTemplate } from './expand-variables.ts';

/** Variables that say where something is: what they hold stands in ordinary output, and is no secret. */
const plainVariable =
  /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|USERNAME|SHELL|PATH|TMPDIR|TEMP|TMP|HOSTNAME|LANG|TERM|TZ|XDG_.*|LC_.*|.*_(?:DIR|FOLDER|HOME|PATH|ROOT|FILE|HOST|PORT|REGION))$/;

/**
 * What variables hold that are named in texts which may be secret in part, such as the header `Bearer ${KEY}`. Variables whose
 * names are those of places (`HOME`, `DATA_DIR`) are left out.
 *
 * @param templates texts with `${NAME}`, by dotted path
 * @param mayHoldSecrets whether the text at a path may
 */
export function collectVariableSecrets(
  templates: ReadonlyMap<string, string>,
  variables: Variables,
  mayHoldSecrets: (path: string) => boolean,
): readonly Secret[] {
  const names = [...templates]
    .filter(([path]) => mayHoldSecrets(path))
    .flatMap(([, text]) => variablesOfTemplate(text));
  return [...new Set(names)].flatMap((name) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined || value === '' || plainVariable.test(name) ? [] : [new Secret(name, value)];
  });
}
