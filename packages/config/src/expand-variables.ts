import { ConfigError, isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';

/** Variables as a program finds them in its environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Values with every `${NAME}` replaced, and what stood there before. */
export interface ExpandedValues {
  readonly values: JsonObject;
  /** The text before, by dotted path; list entries as `path[0]`. */
  readonly templates: ReadonlyMap<string, string>;
}

/** `$${` (a literal `${`), `${NAME}` or `${NAME:-default}`. */
const placeholder = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/gu;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text of `values`; `$${` stands for a literal `${`.
 * An empty variable counts as missing where there is a default.
 * @throws ConfigError `config.missing-variable`, naming all that are missing
 */
export function expandVariables(values: JsonObject, variables: Variables, sourceName: string): ExpandedValues {
  const templates = new Map<string, string>();
  const missing: string[] = [];

  function expandText(text: string, path: string): string {
    let hasVariable = false;
    const expanded = text.replace(placeholder, (match, name: string | undefined, fallback: string | undefined) => {
      if (name === undefined) return '${';
      hasVariable = true;
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
      if (value === undefined) missing.push(`${match} at ${path}`);
      return value ?? '';
    });
    if (hasVariable) templates.set(path, text);
    return expanded;
  }

  function expandObject(object: JsonObject, prefix: string): JsonObject {
    return Object.fromEntries(
      Object.entries(object)
        .filter(([key]) => key !== '__proto__')
        .map(([key, value]) => [key, expand(value, prefix === '' ? key : `${prefix}.${key}`)]),
    );
  }

  function expand(value: JsonValue | undefined, path: string): JsonValue | undefined {
    if (typeof value === 'string') return expandText(value, path);
    if (Array.isArray(value)) return value.map((entry, index) => expand(entry, `${path}[${index}]`) ?? null);
    return isJsonObject(value) ? expandObject(value, path) : value;
  }

  const expanded = expandObject(values, '');
  if (missing.length > 0) {
    throw new ConfigError(`${sourceName} names variables that are not set: ${missing.join(', ')}`, {
      code: 'config.missing-variable',
      hint: `Set the variable, put it into a .env file, or give a default after the name, as in \${NAME:-default}.`,
    });
  }
  return { values: expanded, templates };
}

/** The names of all variables in a template. */
export function variablesOfTemplate(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].flatMap((match) => match[1] ?? []);
}

/** The name of the variable, where a template is exactly one `${NAME}` or `${NAME:-default}`. */
export function variableOfTemplate(template: string | undefined): string | undefined {
  return template?.match(/^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$/u)?.[1];
}
