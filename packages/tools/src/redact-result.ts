import { redactSecrets, Secret } from '@talaria/core';
import type { ToolRunResult } from './run-tool.ts';

/**
 * Secrets as they may stand in a result: as they are and as JSON writes them inside a string, the longest first, so that
 * one that holds another is taken out as a whole.
 */
export function spellSecrets(secrets: readonly Secret[]): readonly Secret[] {
  const spelled = secrets.flatMap((secret) => {
    const value = secret.reveal();
    const inJson = JSON.stringify(value).slice(1, -1);
    return inJson === value ? [secret] : [secret, new Secret(secret.name, inJson)];
  });
  return spelled.sort((left, right) => right.reveal().length - left.reveal().length);
}

/** The result without the secrets that {@link spellSecrets} prepared. */
export function redactResult(result: ToolRunResult, secrets: readonly Secret[]): ToolRunResult {
  return secrets.length === 0 ? result : { ...result, content: redactSecrets(result.content, secrets) };
}
