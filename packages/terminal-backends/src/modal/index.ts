export { createModalBackend, type ModalBackend } from './modal-backend.ts';
export type { ModalBackendOptions } from './modal-options.ts';
export type { ModalPreflightOptions } from './preflight-options.ts';
