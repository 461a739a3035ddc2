export type { ModalStatus } from './call-error.ts';
export type { ModalCall } from './call-log.ts';
export { createModalDouble, type ModalDouble, type ModalDoubleOptions, type ModalSandboxView } from './modal-double.ts';
export type { FaultTarget, ModalFault } from './modal-fault.ts';
