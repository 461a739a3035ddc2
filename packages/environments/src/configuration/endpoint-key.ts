import { type MergedConfig, type Variables, valueAt, withValueAt } from '@talaria/config';
import { findProvider, providers } from '@talaria/model-client';

/** The variable that holds a key for whichever endpoint its user names. */
const generalVariable = 'OPENAI_API_KEY';

/** Who wrote a server's configuration. */
export interface KeyOptions {
  readonly variables: Variables;
  /** Names of the layers that no user wrote: an address that comes from one of them gets no general key. */
  readonly defaultNames: ReadonlySet<string>;
}

/**
 * Gives a server the key of its own endpoint: the one that is configured, else that of the variable which belongs to the
 * endpoint. What is known to be the key of one provider is never given to another.
 */
export function withEndpointKey(merged: MergedConfig, { variables, defaultNames }: KeyOptions): MergedConfig {
  const baseUrl = textAt(merged, 'base_url');
  const provider = findProvider(textAt(merged, 'model_name') ?? '', baseUrl);
  const ownVariable = provider?.apiKeyVariable ?? null;
  const given = textAt(merged, 'api_key');
  if (given !== null && !isForeign(merged.templates.get('openai.api_key'), ownVariable)) return merged;
  const isAddressChosen = !defaultNames.has(merged.sources.get('openai.base_url') ?? '');
  const name = ownVariable ?? (baseUrl !== null && isAddressChosen ? generalVariable : null);
  const key = name === null ? '' : (variables[name] ?? '');
  return key === '' || name === null ? withoutKey(merged) : withKey(merged, name, key);
}

/** Whether a configured key is named after another provider than the one that would get it. */
function isForeign(template: string | undefined, ownVariable: string | null): boolean {
  if (ownVariable === null || template === undefined) return false;
  const owner = providers.find(({ apiKeyVariable }) => template === `\${${apiKeyVariable}}`);
  return owner !== undefined && owner.apiKeyVariable !== ownVariable;
}

function textAt(merged: MergedConfig, name: string): string | null {
  const value = valueAt(merged.values, ['openai', name]);
  return typeof value === 'string' && value !== '' ? value : null;
}

function withKey(merged: MergedConfig, name: string, key: string): MergedConfig {
  return {
    values: withValueAt(merged.values, ['openai', 'api_key'], key),
    templates: new Map([...merged.templates, ['openai.api_key', `\${${name}}`]]),
    sources: new Map([...merged.sources, ['openai.api_key', name]]),
  };
}

function withoutKey(merged: MergedConfig): MergedConfig {
  if (valueAt(merged.values, ['openai', 'api_key']) === undefined) return merged;
  const templates = new Map(merged.templates);
  templates.delete('openai.api_key');
  return { ...merged, values: withValueAt(merged.values, ['openai', 'api_key'], undefined), templates };
}
