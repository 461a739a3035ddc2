import { UrlRefusedError } from '../web/url-policy/index.ts';

const maxCauses = 5;

/** The refusal of a policy that made a request fail: the client wraps it. */
export function findRefusal(error: unknown): UrlRefusedError | undefined {
  let current = error;
  for (let depth = 0; depth < maxCauses; depth += 1) {
    if (current instanceof UrlRefusedError) return current;
    if (typeof current !== 'object' || current === null || !('cause' in current)) return undefined;
    current = current.cause;
  }
  return undefined;
}
