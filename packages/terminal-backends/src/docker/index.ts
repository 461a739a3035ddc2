export { createDockerBackend, type DockerBackend } from './docker-backend.ts';
export type {
  BuildImageOptions,
  DockerBackendOptions,
  DockerMount,
  DockerPreflightOptions,
  ImageProgress,
  RegistryLogin,
} from './docker-options.ts';
