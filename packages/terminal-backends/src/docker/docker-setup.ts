import type { BackendSetup } from '../backend-setup.ts';
import type { ConnectDocker } from './docker-engine.ts';
import type { DockerImages } from './docker-images.ts';
import type { DockerBackendOptions } from './docker-options.ts';

/** What some engines cannot do; found out at the first container that asks for it. */
export interface EngineLacks {
  /** Limit the size of a container's file system. */
  diskLimits: boolean;
  /**
   * Set limits of processes: `raised`, not those that a sandbox has by default; `inherited`, not even the engine's own, and
   * every one must be named.
   */
  ulimits: 'none' | 'raised' | 'inherited';
}

/** What all sandboxes of one docker backend share. */
export interface DockerSetup extends BackendSetup {
  readonly options: DockerBackendOptions;
  readonly connect: ConnectDocker;
  readonly images: DockerImages;
  /** What the engine was found not to be able to. */
  readonly lacks: EngineLacks;
}
