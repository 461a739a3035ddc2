import { type ConfigLayer, valueAt, withValueAt } from '@talaria/config';
import { ConfigError } from '@talaria/core';

/** Upstream's names in `env`, and the same fields of `terminal`. */
const linkedPaths: readonly (readonly [string, string])[] = [
  ['env.terminal_backend', 'terminal.backend'],
  ['env.terminal_timeout', 'terminal.timeout_sec'],
  ['env.terminal_lifetime', 'terminal.max_lifetime_sec'],
];

/**
 * Gives fields that have two names the same value under both, within one layer, so that a higher layer wins whichever
 * name it uses.
 * @throws ConfigError `config.conflict` where a layer gives them two values
 */
export function linkFields(layer: ConfigLayer): ConfigLayer {
  return linkedPaths.reduce(linkPair, layer);
}

function linkPair(layer: ConfigLayer, pair: readonly [string, string]): ConfigLayer {
  const [first, second] = pair;
  const firstValue = valueAt(layer.values, first.split('.'));
  const secondValue = valueAt(layer.values, second.split('.'));
  if (firstValue === secondValue) return layer;
  if (firstValue !== undefined && secondValue !== undefined) {
    throw new ConfigError(`${layer.name}: ${first} and ${second} are one setting and have two values`, {
      code: 'config.conflict',
      hint: `Keep ${second} and remove the other.`,
    });
  }
  const [target, source, value] = firstValue === undefined ? [first, second, secondValue] : [second, first, firstValue];
  const template = layer.templates.get(source);
  return {
    ...layer,
    values: withValueAt(layer.values, target.split('.'), value),
    templates: template === undefined ? layer.templates : new Map([...layer.templates, [target, template]]),
  };
}
