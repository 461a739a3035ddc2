import type { ToolModel } from '../../models/ports.ts';
import type { ToolAvailability } from '../../tool.ts';
import type { WebProvider } from '../providers/web-provider.ts';
import type { UrlPolicy } from '../url-policy/index.ts';

/** What the web tools share. */
export interface WebToolSetup {
  readonly provider: WebProvider | undefined;
  readonly policy: UrlPolicy;
  readonly summarizer: ToolModel | undefined;
  readonly isNetworkAllowed: boolean;
  readonly searchTimeoutMs: number;
  readonly extractTimeoutMs: number;
  readonly summaryTimeoutMs: number;
  /** Characters of a page that are shown at once, in UTF-16 units. */
  readonly maxPageChars: number;
  /** Addresses that are read at the same time. */
  readonly maxConcurrency: number;
}

/** Whether a tool can be offered that needs this method of a provider. */
export function availabilityFor(
  { provider, isNetworkAllowed }: WebToolSetup,
  method: 'search' | 'extract',
): ToolAvailability {
  if (!isNetworkAllowed) return { isAvailable: false, reason: 'the network is off for this rollout' };
  if (provider === undefined) {
    const reason = 'no web provider is set up: choose one in web.backend, or set a key such as TAVILY_API_KEY';
    return { isAvailable: false, reason };
  }
  if (provider[method] !== undefined) return { isAvailable: true };
  return {
    isAvailable: false,
    reason: `the web provider ${provider.name} cannot ${method === 'search' ? 'search' : 'read pages'}`,
  };
}
