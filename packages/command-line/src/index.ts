export type { ExitReason } from './exit-code.ts';
export type { Host, InputStream, OutputStream, StopSignal } from './host.ts';
export type { Builtins } from './load-environment.ts';
export { createNodeHost, isMainModule, runMain } from './node-host.ts';
export { runEnvironmentCli } from './run-environment-cli.ts';
export { type ProgramOptions, runProgram } from './run-program.ts';
