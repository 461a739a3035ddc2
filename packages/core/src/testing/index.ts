export { createManualClock, type ManualClock } from './manual-clock.ts';
export { createMemoryLogger, type LogEntry, type MemoryLogger } from './memory-logger.ts';
