export {
  createPolicyFetch,
  type PolicyFetch,
  type PolicyFetchOptions,
  type PolicyFetchRequest,
  type PolicyResponse,
} from './http/policy-fetch.ts';
export {
  createUrlPolicy,
  portOf,
  type ResolvedAddress,
  type ResolveHost,
  type UrlPolicy,
  type UrlPolicyOptions,
  UrlRefusedError,
} from './url-policy/index.ts';
export { WebError, type WebErrorKind, type WebErrorOptions } from './web-error.ts';
