import type { UrlPolicy } from '../../web/url-policy/index.ts';

/**
 * Why an encrypted address or one of a web socket is refused for something else than its host, which is all of it that the
 * proxy sees; `undefined` for any other, which may be visited or is the proxy's to refuse.
 */
export function refusalBeyondHost(url: string, policy: UrlPolicy): unknown {
  if (!/^(?:https|wss?):/i.test(url)) return undefined;
  const address = URL.parse(url.replace(/^ws/i, 'http'));
  const refusal = refusalOf(address?.href ?? url, policy);
  return refusal === undefined || refusalOf(`${address?.protocol}//${address?.host ?? ''}/`, policy) !== undefined
    ? undefined
    : refusal;
}

function refusalOf(url: string, policy: UrlPolicy): unknown {
  try {
    policy.checkUrl(url);
    return undefined;
  } catch (error) {
    return error;
  }
}
