export { createTerminalTest, type TerminalTestItem, terminalTest } from './terminal-test/index.ts';
