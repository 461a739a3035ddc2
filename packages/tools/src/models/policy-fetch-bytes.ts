import type { PolicyFetch } from '../web/http/policy-fetch.ts';
import type { UrlPolicy } from '../web/url-policy/index.ts';
import type { FetchBytes } from './ports.ts';

/** Fetches images under a policy, the default one where there is none. What it needs is imported with the first address. */
export function createPolicyFetchBytes(policy: UrlPolicy | undefined): FetchBytes {
  let opening: Promise<PolicyFetch> | undefined;
  return async (url, { maxBytes, signal }) => {
    opening ??= openFetch(policy);
    const policyFetch = await opening;
    return policyFetch(url, { maxBytes, signal, headers: { accept: 'image/png, image/jpeg, image/gif, image/webp' } });
  };
}

async function openFetch(policy: UrlPolicy | undefined): Promise<PolicyFetch> {
  const [{ createPolicyFetch }, { createUrlPolicy }] = await Promise.all([
    import('../web/http/policy-fetch.ts'),
    import('../web/url-policy/index.ts'),
  ]);
  return createPolicyFetch(policy ?? createUrlPolicy());
}
