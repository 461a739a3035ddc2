import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';

/** Values from one source: defaults, a file, variables, flags. */
export interface ConfigLayer {
  /** As messages name it: `defaults`, `run.yaml`, `flags`. */
  readonly name: string;
  /** Keys as in the file: snake_case. */
  readonly values: JsonObject;
  /**
   * Texts as they were written, by dotted path, where a value came from `${NAME}` or from a variable that holds a
   * secret: what is written back in place of the value.
   */
  readonly templates: ReadonlyMap<string, string>;
}

/** Several layers, laid over one another. */
export interface MergedConfig {
  readonly values: JsonObject;
  /** The templates of those values that were not replaced by a higher layer. */
  readonly templates: ReadonlyMap<string, string>;
  /** Name of the layer that each value came from, by dotted path. */
  readonly sources: ReadonlyMap<string, string>;
}

/** A layer without templates. */
export function plainLayer(name: string, values: JsonObject): ConfigLayer {
  return { name, values, templates: new Map() };
}

/** Lays layers over one another, lowest first: maps merge deeply, lists and single values replace. */
export function mergeLayers(layers: readonly ConfigLayer[]): MergedConfig {
  let values: JsonObject = {};
  const templates = new Map<string, string>();
  const sources = new Map<string, string>();
  for (const layer of layers) {
    const below = values;
    values = mergeObjects(below, layer.values);
    for (const path of listLeafPaths(layer.values)) {
      // A map without entries changes nothing of a map below it.
      if (isJsonObject(valueAt(layer.values, path.split('.'))) && isJsonObject(valueAt(below, path.split('.'))))
        continue;
      forgetUnder(templates, path);
      forgetUnder(sources, path);
      sources.set(path, layer.name);
    }
    for (const [path, template] of layer.templates) templates.set(path, template);
  }
  return { values, templates, sources };
}

/** Merges maps deeply; what is no map on both sides is taken from `upper`. Absent values of `upper` change nothing. */
export function mergeObjects(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue | undefined>(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    if (value === undefined) continue;
    const before = merged.get(key);
    merged.set(key, isJsonObject(before) && isJsonObject(value) ? mergeObjects(before, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The value at a path of names; `undefined` where there is none. */
export function valueAt(values: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A copy with the value at a path of names replaced; `undefined` takes the key away. */
export function withValueAt(values: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return values;
  const entries = new Map(Object.entries(values));
  if (rest.length > 0) {
    const inner = entries.get(name);
    entries.set(name, withValueAt(isJsonObject(inner) ? inner : {}, rest, value));
  } else if (value === undefined) entries.delete(name);
  else entries.set(name, value);
  return Object.fromEntries(entries);
}

/** Dotted paths of everything in `values` that is not a map with entries. */
export function listLeafPaths(values: JsonObject, prefix = ''): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (value === undefined) return [];
    return isJsonObject(value) && Object.keys(value).length > 0 ? listLeafPaths(value, path) : [path];
  });
}

/** Takes away what is known about a path, the paths above it and the paths below it. */
function forgetUnder(known: Map<string, string>, path: string): void {
  if (known.size === 0) return;
  for (const other of known.keys()) {
    if (
      other === path ||
      other.startsWith(`${path}.`) ||
      other.startsWith(`${path}[`) ||
      path.startsWith(`${other}.`)
    ) {
      known.delete(other);
    }
  }
}
