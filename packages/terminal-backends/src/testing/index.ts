export { createFakeBackend, type FakeBackend, type FakeBackendOptions } from './fake-backend.ts';
export type { FakeProcess } from './fake-process.ts';
export {
  createFakeSandbox,
  type FakeCall,
  type FakeReply,
  type FakeRun,
  type FakeSandbox,
  type FakeSandboxOptions,
} from './fake-sandbox.ts';
