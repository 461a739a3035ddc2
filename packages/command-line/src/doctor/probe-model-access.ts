import { providers } from '@talaria/model-client';
import type { Host } from '../host.ts';
import type { Finding } from './finding.ts';

/** Variables that name a model endpoint or hold its key. */
const accessVariables = ['OPENAI_BASE_URL', ...providers.flatMap(({ apiKeyVariable }) => apiKeyVariable ?? [])];

/** Says which of the variables that lead to a model are set. Never shows a key. */
export function probeModelAccess(host: Host): Finding {
  const set = accessVariables.filter((name) => (host.variables[name] ?? '') !== '');
  const base = { name: 'model access', isRequired: false };
  if (set.length > 0) return { ...base, status: 'ok', detail: `${set.join(', ')} set`, hint: null };
  return {
    ...base,
    status: 'missing',
    detail: 'no key and no address of a model is set: runs use the scripted model',
    hint: 'Set OPENAI_API_KEY or OPENROUTER_API_KEY (a .env file in this folder does), or OPENAI_BASE_URL',
  };
}
