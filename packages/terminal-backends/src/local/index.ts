export { createLocalBackend, type LocalBackendOptions } from './local-backend.ts';
