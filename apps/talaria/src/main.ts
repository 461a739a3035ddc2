#!/usr/bin/env node
import { runMain, runProgram } from '@talaria/command-line';

await runMain((host) =>
  runProgram(host, {
    builtins: { 'terminal-test': async () => (await import('@talaria/benchmarks/terminal-test')).terminalTest },
    manifestUrl: new URL('../package.json', import.meta.url),
  }),
);
