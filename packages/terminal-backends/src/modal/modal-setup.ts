import type { BackendSetup } from '../backend-setup.ts';
import type { ConnectModal } from './modal-account.ts';
import type { ModalImages } from './modal-images.ts';
import type { ModalBackendOptions } from './modal-options.ts';

/** What all sandboxes of one modal backend share. */
export interface ModalSetup extends BackendSetup {
  readonly options: ModalBackendOptions;
  readonly connect: ConnectModal;
  readonly images: ModalImages;
  /** Tells once that Modal's SDK cannot limit the disk. */
  readonly warnOfDisk: () => void;
}
