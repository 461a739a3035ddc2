export { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from './test-dispatcher.ts';
