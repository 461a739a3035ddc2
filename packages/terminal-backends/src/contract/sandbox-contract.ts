import assert from 'node:assert/strict';
import type { SandboxCapabilities } from '../sandbox.ts';
import { commandCases } from './command-cases.ts';
import type { SandboxContractCase } from './contract-case.ts';
import { fileCases } from './file-cases.ts';
import { killCases } from './kill-cases.ts';
import { lifecycleCases } from './lifecycle-cases.ts';
import { outputCases } from './output-cases.ts';
import { processCases } from './process-cases.ts';
import { stateCases } from './state-cases.ts';
import { transferCases } from './transfer-cases.ts';

/** Everything that a sandbox promises, whatever its backend. Each case is free of any test runner. */
export const sandboxContract: readonly SandboxContractCase[] = [
  ...lifecycleCases,
  ...commandCases,
  ...stateCases,
  ...outputCases,
  ...killCases,
  ...processCases,
  ...fileCases,
  ...transferCases,
];

/** What is said of a backend before its contract is checked. */
export interface ContractSubject {
  readonly capabilities: SandboxCapabilities;
  /** Names of cases that the backend is known to fail. Such a case must fail: one that passes is reported. @default none */
  readonly knownGaps?: readonly string[] | undefined;
}

/**
 * The cases that a backend must pass: those that its capabilities give a meaning, and each known gap turned around.
 * @throws AssertionError for a known gap that names no case
 */
export function selectContractCases(subject: ContractSubject): readonly SandboxContractCase[] {
  const { capabilities, knownGaps = [] } = subject;
  for (const gap of knownGaps) {
    assert.ok(
      sandboxContract.some((entry) => entry.name === gap),
      `No case of the contract is called ${JSON.stringify(gap)}`,
    );
  }
  return sandboxContract
    .filter((entry) => entry.needs?.(capabilities) ?? true)
    .map((entry) => (knownGaps.includes(entry.name) ? expectGap(entry) : entry));
}

function expectGap(entry: SandboxContractCase): SandboxContractCase {
  return {
    name: `${entry.name} (known gap)`,
    async run(open) {
      const passes = await entry.run(open).then(
        () => true,
        () => false,
      );
      assert.ok(!passes, `The known gap ${JSON.stringify(entry.name)} passes: take it off the list`);
    },
  };
}
