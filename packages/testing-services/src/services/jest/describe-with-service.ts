import { describe, test } from '@jest/globals';
import { type FindServiceOptions, findService } from '../find-service.ts';
import type { ServiceDescriptions, ServiceName } from '../service-description.ts';
import { planTests } from '../test-plan.ts';

/**
 * Declares tests that need a real service. Where it is absent, its reason is printed and they are skipped; with
 * `TALARIA_REQUIRE_SERVICES=1` in the environment, one test fails with the reason instead. To be awaited at the top of a
 * test file:
 *
 * ```ts
 * await describeWithService('docker', process.env, (docker) => {
 *   test('…', async () => { … docker.socketPath … });
 * });
 * ```
 */
export async function describeWithService<Name extends ServiceName>(
  name: Name,
  environment: Readonly<Record<string, string | undefined>>,
  declareTests: (service: ServiceDescriptions[Name]) => void,
  options: FindServiceOptions = {},
): Promise<void> {
  const plan = planTests(await findService(name, options), environment);
  if (plan.kind === 'run') {
    describe(`with ${name}`, () => declareTests(plan.service));
  } else if (plan.kind === 'skip') {
    process.stderr.write(`SKIPPED tests with ${name}: ${plan.reason}\n`);
    test.skip(`tests with ${name}: ${plan.reason}`, () => undefined);
  } else {
    test(`${name} is there to be tested with`, () => {
      throw new Error(plan.reason);
    });
  }
}
