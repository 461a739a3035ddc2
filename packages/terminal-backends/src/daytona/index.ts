export { createDaytonaBackend, type DaytonaBackend } from './daytona-backend.ts';
export type { DaytonaBackendOptions, DaytonaBuildLog } from './daytona-options.ts';
export type { DaytonaSdk } from './load-daytona.ts';
export type { DaytonaPreflightOptions } from './run-preflight.ts';
