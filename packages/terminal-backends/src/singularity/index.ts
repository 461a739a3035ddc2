export { createSingularityBackend, type SingularityBackend } from './singularity-backend.ts';
export type {
  BuildProgress,
  SingularityBackendOptions,
  SingularityMount,
  SingularityPreflightOptions,
  WritableMode,
} from './singularity-options.ts';
