import { isTalariaError, Secret, type TalariaError } from '@talaria/core';
import { findProvider, resolveProvider } from '@talaria/model-client';
import { nameSome } from '../find-only-model.ts';
import type { Host } from '../host.ts';
import { listModels } from '../list-models.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 3_000;

/** Asks the server that the variables name: whether it answers, takes the key and has the model. Empty where none is. */
export async function probeConfiguredServer(host: Host): Promise<readonly Finding[]> {
  const address = variable(host, 'TALARIA_OPENAI_BASE_URL', 'OPENAI_BASE_URL');
  if (address === null) return [];
  const base = { name: 'model server', isRequired: false };
  const baseUrl = readAddress(address);
  if (typeof baseUrl !== 'string') {
    return [{ ...base, status: 'broken', detail: baseUrl.message, hint: baseUrl.hint ?? null }];
  }
  const keyName = findProvider('', baseUrl)?.apiKeyVariable ?? 'OPENAI_API_KEY';
  const key = variable(host, 'TALARIA_OPENAI_API_KEY', keyName);
  const apiKey = key === null ? null : new Secret(keyName, key);
  const listed = await listModels(host, { baseUrl, apiKey, timeoutMs });
  switch (listed.kind) {
    case 'silent':
      return [{ ...base, status: 'broken', detail: `${baseUrl} does not answer: ${listed.reason}`, hint: startHint }];
    case 'refused':
      return [{ ...base, status: 'broken', ...describeRefusal(baseUrl, listed.status, apiKey) }];
    case 'other':
      return [
        { ...base, status: 'broken', detail: `${baseUrl}/models gives no list (${listed.status})`, hint: pathHint },
      ];
    case 'models':
      return [{ ...base, ...describeModels(host, baseUrl, listed.models) }];
  }
}

const startHint = 'Start it, or correct OPENAI_BASE_URL';
const pathHint = 'The address often ends in /v1: correct OPENAI_BASE_URL';

function describeRefusal(baseUrl: string, status: number, apiKey: Secret | null): Pick<Finding, 'detail' | 'hint'> {
  if (apiKey === null) return { detail: `${baseUrl} wants a key (${status})`, hint: 'Set OPENAI_API_KEY' };
  return { detail: `${baseUrl} refuses the key in ${apiKey.name} (${status})`, hint: `Correct ${apiKey.name}` };
}

function describeModels(
  host: Host,
  baseUrl: string,
  models: readonly string[],
): Pick<Finding, 'status' | 'detail' | 'hint'> {
  const named = variable(host, 'TALARIA_OPENAI_MODEL_NAME', 'OPENAI_MODEL');
  const offers = models.length === 0 ? 'offers no model' : `offers ${nameSome(models)}`;
  if (named === null) return { status: 'ok', detail: baseUrl, hint: `answers; ${offers}` };
  if (models.includes(named)) return { status: 'ok', detail: baseUrl, hint: `answers, and has ${named}` };
  return {
    status: 'broken',
    detail: `${baseUrl} answers, but does not name ${named}`,
    hint: `It ${offers}: correct OPENAI_MODEL`,
  };
}

function readAddress(address: string): string | TalariaError {
  try {
    return resolveProvider('any', { baseUrl: address }).baseUrl;
  } catch (error) {
    if (isTalariaError(error) && error.code === 'config.invalid') return error;
    throw error;
  }
}

/** The first of some variables that holds anything. */
function variable(host: Host, ...names: readonly string[]): string | null {
  return names.map((name) => host.variables[name] ?? '').find((value) => value !== '') ?? null;
}
