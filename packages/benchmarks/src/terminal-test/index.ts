export type { TerminalTestItem } from './tasks.ts';
export { createTerminalTest, terminalTest } from './terminal-test.ts';
