import assert from 'node:assert/strict';
import { isTalariaError, quoteShell } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import type { RunOptions, RunResult, Sandbox, SandboxCapabilities, SandboxHandle } from '../sandbox.ts';

/** Opens a new sandbox of the backend under test; the spec's fields are added to those that the backend needs. */
export type OpenSandbox = (spec?: Omit<SandboxSpec, 'taskId'>) => Promise<Sandbox>;

/** One thing that every sandbox promises. Free of any test runner: it rejects where the promise is broken. */
export interface SandboxContractCase {
  readonly name: string;
  /** What a backend must be able to do for the case to mean something. @default nothing */
  readonly needs?: ((capabilities: SandboxCapabilities) => boolean) | undefined;
  readonly run: (open: OpenSandbox) => Promise<void>;
}

/** Makes a case out of what is to be tried on one open sandbox, which is closed afterwards. */
export function sandboxCase(
  name: string,
  attempt: (sandbox: Sandbox) => Promise<void>,
  needs?: SandboxContractCase['needs'],
): SandboxContractCase {
  return {
    name,
    needs,
    async run(open) {
      await using sandbox = await open();
      await attempt(sandbox);
    },
  };
}

/** Runs a command that must succeed, and gives its output. */
export async function outputOf(sandbox: SandboxHandle, command: string, options?: RunOptions): Promise<string> {
  return expectExit(await sandbox.run(command, options), 0).output;
}

/** Asserts that a command ended by itself with an exit code. */
export function expectExit(result: RunResult, exitCode: number): RunResult & { readonly kind: 'exited' } {
  assert.ok(result.kind === 'exited', `expected an exit, but the command was ${result.kind}: ${result.output}`);
  assert.equal(result.exitCode, exitCode, result.output);
  return result;
}

/** Asserts that two values are the same as JSON. A runner may give each side arrays of another realm. */
export function expectEqual(actual: unknown, expected: unknown): void {
  assert.deepEqual(JSON.parse(JSON.stringify(actual)), JSON.parse(JSON.stringify(expected)));
}

/** Asserts that something rejects with an error of this code. */
export async function expectCode(promise: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isTalariaError(error), `expected a Talaria error, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    assert.ok(error.hint, `the error ${code} says nothing that the reader can do`);
    return true;
  });
}

/** Asserts that none of these process numbers, read from a file in the sandbox, runs any more. */
export async function expectDead(sandbox: SandboxHandle, pidFile: string): Promise<void> {
  const check = `for pid in $(cat ${quoteShell([pidFile])}); do
    state=$(sed 's/.*) //' /proc/$pid/stat 2>/dev/null | cut -c1)
    case "$state" in ''|Z|X) ;; *) echo "$pid is in state $state";; esac
  done`;
  assert.equal((await sandbox.run(check, { isStateless: true })).output, '');
}

/** The same of processes whose end is not waited for to the last: they have some seconds. */
export async function expectDeadSoon(sandbox: SandboxHandle, pidFile: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await expectDead(sandbox, pidFile);
      return;
    } catch (error) {
      if (tries === 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** Waits until a file is there. Every wait is for something that the sandbox does, never for a length of time. */
export async function waitForFile(sandbox: SandboxHandle, path: string): Promise<void> {
  const wait = `for i in $(seq 1 500); do [ -s ${quoteShell([path])} ] && exit 0; sleep 0.02; done; exit 1`;
  expectExit(await sandbox.run(wait, { isStateless: true, cwd: '/' }), 0);
}
