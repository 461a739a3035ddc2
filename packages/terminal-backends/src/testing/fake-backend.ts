import type { SandboxSpec, TerminalBackend } from '../backend.ts';
import { createFakeSandbox, type FakeSandbox } from './fake-sandbox.ts';

/** Options of {@link createFakeBackend}. */
export interface FakeBackendOptions {
  /** Makes the sandbox for a spec; may throw what a backend would. @default an empty fake sandbox */
  readonly open?:
    | ((spec: SandboxSpec, signal: AbortSignal | undefined) => FakeSandbox | Promise<FakeSandbox>)
    | undefined;
}

/** A backend of fake sandboxes that remembers them. */
export interface FakeBackend extends TerminalBackend {
  /** Every sandbox that was opened, in order. */
  readonly sandboxes: readonly FakeSandbox[];
  /** The specs that were asked for, in order. */
  readonly specs: readonly SandboxSpec[];
}

/** Creates one. */
export function createFakeBackend(options: FakeBackendOptions = {}): FakeBackend {
  const { open = () => createFakeSandbox() } = options;
  const sandboxes: FakeSandbox[] = [];
  const specs: SandboxSpec[] = [];
  return {
    kind: 'local',
    capabilities: createFakeSandbox().capabilities,
    sandboxes,
    specs,
    async open(spec, { signal } = {}) {
      signal?.throwIfAborted();
      specs.push(spec);
      const sandbox = await open(spec, signal);
      sandboxes.push(sandbox);
      return sandbox;
    },
    async sweep() {
      return { removed: [], failed: [] };
    },
    async preflight() {},
  };
}
