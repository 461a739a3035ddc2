import { ConfigError } from '@talaria/core';
import { type ConfigLayer, listLeafPaths, valueAt, withValueAt } from './config-layer.ts';
import { expandVariables, type Variables } from './expand-variables.ts';
import { type FieldDescription, findField } from './field-description.ts';

/**
 * Makes sure that the secrets of a file or of flags stand there only as `${NAME}`, and expands those that are not yet.
 * @throws ConfigError `config.literal-secret`, without the value; `config.missing-variable`
 */
export function guardSecrets(
  layer: ConfigLayer,
  fields: readonly FieldDescription[],
  variables: Variables,
): ConfigLayer {
  let { values } = layer;
  const templates = new Map(layer.templates);
  for (const dotted of listLeafPaths(layer.values)) {
    const path = dotted.split('.');
    const value = valueAt(values, path);
    if (findField(fields, path)?.isSecret !== true || typeof value !== 'string' || value === '') continue;
    const template = templates.get(dotted) ?? value;
    if (!isBareVariable(template)) throw literalSecret(layer, dotted, path);
    if (templates.has(dotted)) continue;
    const expanded = expandVariables({ value }, variables, layer.name);
    values = withValueAt(values, path, expanded.values['value']);
    templates.set(dotted, template);
  }
  return { ...layer, values, templates };
}

/** `${NAME}` and nothing else: a default would be a literal secret again. */
function isBareVariable(template: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*(?::-)?\}$/u.test(template);
}

function literalSecret(layer: ConfigLayer, dotted: string, path: readonly string[]): ConfigError {
  const name = path.join('_').toUpperCase();
  return new ConfigError(`${layer.name}: ${dotted} holds a secret in plain text`, {
    code: 'config.literal-secret',
    hint: `Put the secret into a variable or a .env file and write ${dotted}: \${${name}} instead.`,
  });
}
