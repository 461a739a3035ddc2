import type { FoundService } from './find-service.ts';
import type { ServiceDescriptions, ServiceName } from './service-description.ts';

/** What becomes of the tests that need a service. */
export type TestPlan<Name extends ServiceName> =
  | { readonly kind: 'run'; readonly service: ServiceDescriptions[Name] }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string };

/** Runs what can run; what cannot is skipped, or fails where `TALARIA_REQUIRE_SERVICES` is `1`, as in CI. */
export function planTests<Name extends ServiceName>(
  found: FoundService<Name>,
  environment: Readonly<Record<string, string | undefined>>,
): TestPlan<Name> {
  if (found.kind === 'ready') return { kind: 'run', service: found.service };
  return { kind: environment['TALARIA_REQUIRE_SERVICES'] === '1' ? 'fail' : 'skip', reason: found.reason };
}
