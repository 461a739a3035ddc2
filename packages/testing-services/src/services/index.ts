export { type FindServiceOptions, type FoundService, findService } from './find-service.ts';
export type {
  ApptainerService,
  DockerService,
  ServiceDescriptions,
  ServiceName,
  SshService,
} from './service-description.ts';
export { serviceNames } from './service-description.ts';
export { planTests, type TestPlan } from './test-plan.ts';
export { thoroughRuns } from './thorough.ts';
