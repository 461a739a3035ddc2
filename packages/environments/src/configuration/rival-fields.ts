import { type ConfigLayer, valueAt, withValueAt } from '@talaria/config';

/** Fields that stand for one another, of which only one may be set. */
const rivals: readonly (readonly [string, string])[] = [
  ['env.distribution', 'env.enabled_toolsets'],
  ['env.enabled_toolsets', 'env.distribution'],
];

/**
 * Takes a default out of its layers where the user has set what stands in its place. Both set by the user, or by defaults,
 * stay.
 *
 * @param layers - lowest first
 * @param defaultNames - names of those that the user did not write
 */
export function withoutRivalDefaults(
  layers: readonly ConfigLayer[],
  defaultNames: ReadonlySet<string>,
): readonly ConfigLayer[] {
  const isDefault = ({ name }: ConfigLayer): boolean => defaultNames.has(name);
  const highest = (path: string): ConfigLayer | undefined =>
    layers.findLast(({ values }) => valueAt(values, path.split('.')) !== undefined);
  const chosen = rivals.find(([path, other]) => {
    const layer = highest(path);
    const rival = highest(other);
    if (layer === undefined || isDefault(layer) || rival === undefined || !isDefault(rival)) return false;
    return valueAt(layer.values, path.split('.')) !== null;
  });
  if (chosen === undefined) return layers;
  const path = chosen[1].split('.');
  return layers.map((layer) =>
    valueAt(layer.values, path) === undefined ? layer : { ...layer, values: withValueAt(layer.values, path, null) },
  );
}
