export {
  createDaytonaDouble,
  type DaytonaDouble,
  type DaytonaDoubleOptions,
  type DaytonaDoubleSandbox,
} from './daytona-double.ts';
export type { DaytonaFault, DaytonaFaultTarget } from './daytona-fault.ts';
export type { RecordedDaytonaRequest } from './double-request.ts';
export type { DaytonaSandboxState } from './sandbox-record.ts';
