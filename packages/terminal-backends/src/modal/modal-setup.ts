import type { Clock, CreateId, Logger } from '@talaria/core';
import type { SandboxLedger } from '../ledger/sandbox-ledger.ts';
import type { EnvironmentSource } from '../sandbox-environment.ts';
import type { ConnectModal } from './modal-account.ts';
import type { ModalImages } from './modal-images.ts';
import type { ModalBackendOptions } from './modal-options.ts';

/** What all sandboxes of one modal backend share. */
export interface ModalSetup {
  readonly options: ModalBackendOptions;
  readonly connect: ConnectModal;
  readonly images: ModalImages;
  /** Tells once that Modal's SDK cannot limit the disk. */
  readonly warnOfDisk: () => void;
  readonly ledger: SandboxLedger;
  /** Variables of this machine that may be handed on. */
  readonly source: EnvironmentSource;
  readonly killGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
}
