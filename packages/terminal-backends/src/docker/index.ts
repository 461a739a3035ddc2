export type { BuildImageOptions } from './build-image.ts';
export { createDockerBackend, type DockerBackend } from './docker-backend.ts';
export type { DockerBackendOptions, DockerMount, ImageProgress, RegistryLogin } from './docker-options.ts';
export type { DockerPreflightOptions } from './run-preflight.ts';
