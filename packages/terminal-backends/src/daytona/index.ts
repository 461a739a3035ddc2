export { createDaytonaBackend, type DaytonaBackend } from './daytona-backend.ts';
export type { DaytonaBackendOptions, DaytonaBuildLog } from './daytona-options.ts';
export type { DaytonaPreflightOptions } from './preflight-options.ts';
