import type { SandboxListing, TerminalBackend } from '../backend.ts';
import { createBackendSetup } from '../backend-setup.ts';
import { createSharedWork } from '../shared-work.ts';
import { buildImage } from './build-image.ts';
import { createDockerConnector } from './docker-engine.ts';
import { createDockerImages } from './docker-images.ts';
import {
  type BuildImageOptions,
  checkDockerOptions,
  type DockerBackendOptions,
  type DockerPreflightOptions,
} from './docker-options.ts';
import type { DockerSetup } from './docker-setup.ts';
import { dockerCapabilities, openDockerSandbox } from './open-docker-sandbox.ts';
import { runPreflight } from './run-preflight.ts';
import { listSandboxContainers, removeSandboxContainer, sweepContainers } from './sweep-containers.ts';

/** The docker backend: a terminal backend that also knows of images. */
export interface DockerBackend extends TerminalBackend {
  /**
   * Proves that sandboxes can be opened from images. @throws ConfigError `config.docker-unreachable`, `config.docker-denied`,
   * `config.missing-package`, `config.missing-image` with all images that are missing; SandboxError `sandbox.pull-failed`
   */
  preflight(options?: DockerPreflightOptions): Promise<void>;
  /**
   * Builds an image from a Dockerfile, once for all who ask for the same at the same time; then the first one hears of the
   * progress. Gives the image's identifier.
   * @throws ConfigError `config.invalid` without a Dockerfile; SandboxError `sandbox.build-failed` with the end of the log
   */
  buildImage(options: BuildImageOptions): Promise<string>;
  /** Tells of every sandbox of this engine, whoever made it. */
  list(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly SandboxListing[]>;
}

/**
 * Creates the backend whose sandboxes are containers of a Docker Engine (or of Podman, through its compatible socket).
 * Nothing is connected to until the first use.
 * @throws ConfigError `config.invalid` for a relative path; `config.secret-variable`; `config.invalid-variable`
 */
export function createDockerBackend(options: DockerBackendOptions): DockerBackend {
  const setup = createSetup(options);
  const builds = createSharedWork<string>();
  return {
    kind: 'docker',
    capabilities: dockerCapabilities,
    open: (spec, { signal } = {}) => openDockerSandbox(spec, setup, signal),
    async sweep({ signal } = {}) {
      return await sweepContainers(await setup.connect(signal), setup, signal);
    },
    async remove(id, { signal } = {}) {
      return await removeSandboxContainer(await setup.connect(signal), id, setup, signal);
    },
    preflight: (preflight = {}) => runPreflight(setup, preflight),
    async buildImage(build) {
      const { platform = options.platform, onProgress = options.onProgress } = build;
      const engine = await setup.connect(build.signal);
      return await buildImage(engine, { ...build, platform, onProgress }, { builds, logger: setup.logger });
    },
    async list({ signal } = {}) {
      return await listSandboxContainers(await setup.connect(signal), signal);
    },
  };
}

function createSetup(options: DockerBackendOptions): DockerSetup {
  checkDockerOptions(options);
  return {
    ...createBackendSetup(options),
    options,
    connect: createDockerConnector(options),
    images: createDockerImages(options),
    lacks: { diskLimits: false, ulimits: 'none' },
  };
}
