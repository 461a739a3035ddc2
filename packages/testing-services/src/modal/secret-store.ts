import { createId } from '@talaria/core';
import { CallError } from './call-error.ts';
import type { SecretSource } from './sandbox-request.ts';

/** `SecretGetOrCreate`. */
export interface SecretRequest {
  readonly deployment_name: string;
  /** 5 makes one that only its id names. */
  readonly object_creation_type: number;
  readonly env_dict: Readonly<Record<string, string>>;
}

/** Stored variables. */
export interface SecretStore {
  getOrCreate(request: SecretRequest): string;
  /** All variables of these sources, later ones over earlier ones. @throws CallError `NOT_FOUND` */
  variables(sources: readonly SecretSource[]): Readonly<Record<string, string>>;
}

/** Creates a store; `named` are the secrets that exist from the start. */
export function createSecretStore(named: Readonly<Record<string, Readonly<Record<string, string>>>>): SecretStore {
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  const ids = new Map<string, string>();
  const add = (variables: Readonly<Record<string, string>>): string => {
    const id = createId('st').replace('_', '-');
    secrets.set(id, variables);
    return id;
  };
  for (const [name, variables] of Object.entries(named)) ids.set(name, add(variables));

  function variablesOf(id: string): Readonly<Record<string, string>> {
    const found = secrets.get(id);
    if (!found) throw new CallError('NOT_FOUND', `Secret ${id} not found`);
    return found;
  }

  return {
    getOrCreate(request) {
      if (request.object_creation_type === 5) return add(request.env_dict);
      const id = ids.get(request.deployment_name);
      if (id === undefined) throw new CallError('NOT_FOUND', `Secret '${request.deployment_name}' not found`);
      return id;
    },
    variables: (sources) =>
      Object.assign({}, ...sources.map(({ secret_id, env }) => (secret_id ? variablesOf(secret_id) : env?.contents))),
  };
}
