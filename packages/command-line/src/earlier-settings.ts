import type { Variables } from '@talaria/config';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';

/** What the settings of a resumed run are taken from. */
export interface EarlierSettingsRequest {
  /** The configuration in the manifest of the run. */
  readonly earlier: JsonObject;
  /** What holds where nobody sets anything. */
  readonly defaults: JsonObject;
  /** What the variables would make of those. */
  readonly present: JsonObject;
  readonly variables: Variables;
}

/**
 * The settings of an earlier run that have to be said again to have them again. What is a default now as it was then is
 * left out, so that it does not pass for something that the user chose.
 */
export function earlierSettings({ earlier, defaults, present, variables }: EarlierSettingsRequest): JsonObject {
  const settings = pruneObject(earlier, defaults, present);
  const escaped = escapeUnset(settings, variables);
  return isJsonObject(escaped) ? withoutPlace(escaped) : {};
}

/** Whether a variable sets a field of the configuration; keys of endpoints are never taken from an earlier run. */
export function withoutSettingVariables(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => !name.startsWith('TALARIA_') || /_(KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$/u.test(name),
    ),
  );
}

function pruneObject(earlier: JsonObject, defaults: JsonObject, present: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(earlier).flatMap(([key, value]) => {
      const kept = value === undefined ? undefined : prune(value, defaults[key], present[key]);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

function prune(
  earlier: JsonValue,
  defaults: JsonValue | undefined,
  present: JsonValue | undefined,
): JsonValue | undefined {
  if (isJsonObject(defaults) && isJsonObject(present)) {
    if (isJsonObject(earlier)) return pruneObject(earlier, defaults, present);
    // Several servers, where the defaults know one.
    if (Array.isArray(earlier)) return earlier.map((entry: JsonValue) => prune(entry, defaults, present) ?? null);
  }
  const isSame = [defaults, present].every((value) => canonicalJson(value ?? null) === canonicalJson(earlier));
  return isSame ? undefined : earlier;
}

/** A manifest does not tell a variable from a text that looks like one; what names none that is set is a text. */
function escapeUnset(value: JsonValue | undefined, variables: Variables): JsonValue | undefined {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(\w*)/gu, (start, name: string) =>
      Object.hasOwn(variables, name) && variables[name] !== '' ? start : `$${start}`,
    );
  }
  if (Array.isArray(value)) return value.map((entry: JsonValue) => escapeUnset(entry, variables) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escapeUnset(inner, variables)]));
}

/** Where results go follows from where the folder is now; a key is found anew where its variable is gone. */
function withoutPlace(settings: JsonObject): JsonObject {
  const { env, openai, terminal } = settings;
  return {
    ...settings,
    ...(isJsonObject(terminal) ? { terminal: withoutUnsetSecrets(terminal) } : {}),
    ...(isJsonObject(env) ? { env: without(env, ['resume', 'data_dir_to_save_evals']) } : {}),
    ...(openai === undefined
      ? {}
      : { openai: Array.isArray(openai) ? openai.map(withoutUnsetKey) : withoutUnsetKey(openai) }),
  };
}

/** Secrets of backends, by section. */
const backendSecrets = { ssh: ['password', 'passphrase'], modal: ['token_secret'], daytona: ['api_key'] } as const;

function withoutUnsetSecrets(terminal: JsonObject): JsonObject {
  const sections = Object.entries(backendSecrets).flatMap(([name, keys]) => {
    const section = terminal[name];
    if (!isJsonObject(section)) return [];
    return [
      [
        name,
        without(
          section,
          keys.filter((key) => isUnset(section[key])),
        ),
      ] as const,
    ];
  });
  return { ...terminal, ...Object.fromEntries(sections) };
}

/** Whether this is the name of a variable that is not set, written so that it stands for itself. */
function isUnset(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.startsWith('$${');
}

function withoutUnsetKey(server: JsonValue): JsonValue {
  if (!isJsonObject(server)) return server;
  return isUnset(server['api_key']) ? without(server, ['api_key']) : server;
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
