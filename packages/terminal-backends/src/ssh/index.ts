export { createSshBackend, type SshBackendOptions } from './ssh-backend.ts';
export type { HostKeyPolicy, SshLogin, SshServer } from './ssh-server.ts';
