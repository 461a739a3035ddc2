export {
  createUrlPolicy,
  portOf,
  type ResolvedAddress,
  type ResolveHost,
  type UrlPolicy,
  type UrlPolicyOptions,
  UrlRefusedError,
} from './url-policy/index.ts';
