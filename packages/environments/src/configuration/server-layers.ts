import { type ConfigLayer, type MergedConfig, mergeLayers, plainLayer, withValueAt } from '@talaria/config';
import { ConfigError, isJsonObject, type JsonObject } from '@talaria/core';

/** A file's layer without its list of servers, and each of those as a layer of its own. */
export interface SplitServers {
  /** With `openai` as a map, or without it. */
  readonly layer: ConfigLayer;
  /** Two servers or more, each under `openai`; empty where the file names one or none. */
  readonly servers: readonly ConfigLayer[];
}

/**
 * Takes the list of servers out of a file's layer: a list of one is a map, a longer one stands for itself.
 * @throws ConfigError `config.invalid` for what is neither map nor list of maps
 */
export function splitServers(layer: ConfigLayer): SplitServers {
  const { openai } = layer.values;
  if (!Array.isArray(openai)) return { layer, servers: [] };
  const entries: readonly unknown[] = openai;
  const servers = entries.map((entry, index) => {
    if (!isJsonObject(entry)) {
      throw new ConfigError(`${layer.name}: openai[${index}] is not a map`, {
        code: 'config.invalid',
        hint: 'Write each server as a map with model_name and base_url.',
      });
    }
    return serverLayer(layer, entry, index);
  });
  const rest = { ...layer, values: withValueAt(layer.values, ['openai'], undefined), templates: otherTemplates(layer) };
  const [single] = servers;
  if (single === undefined || servers.length > 1) return { layer: rest, servers };
  const merged: MergedConfig = mergeLayers([rest, single]);
  return { layer: { name: layer.name, values: merged.values, templates: merged.templates }, servers: [] };
}

function serverLayer(layer: ConfigLayer, entry: JsonObject, index: number): ConfigLayer {
  const prefix = `openai[${index}].`;
  const templates = [...layer.templates]
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, template]): [string, string] => [`openai.${path.slice(prefix.length)}`, template]);
  return { ...plainLayer(layer.name, { openai: entry }), templates: new Map(templates) };
}

function otherTemplates(layer: ConfigLayer): ReadonlyMap<string, string> {
  return new Map([...layer.templates].filter(([path]) => !path.startsWith('openai[')));
}
