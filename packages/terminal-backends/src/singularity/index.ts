export { createSingularityBackend, type SingularityBackend } from './singularity-backend.ts';
export type {
  SingularityBackendOptions,
  SingularityMount,
  SingularityPreflightOptions,
  WritableMode,
} from './singularity-options.ts';
