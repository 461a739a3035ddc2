export { type ResolvedAddress, type ResolveHost, resolveBySystem } from './resolve-host.ts';
export { createUrlPolicy, portOf, type UrlPolicy, type UrlPolicyOptions } from './url-policy.ts';
export { isUrlRefusedError, UrlRefusedError } from './url-refused-error.ts';
