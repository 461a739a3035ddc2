#!/usr/bin/env node
import { describeOldNode } from '@talaria/command-line/node-version';

const fault = describeOldNode(process.versions.node);
if (fault === null) {
  // Loaded only now: an old Node fails on it with errors that say nothing.
  const { runMain, runProgram } = await import('@talaria/command-line');
  await runMain((host) =>
    runProgram(host, {
      builtins: { 'terminal-test': async () => (await import('@talaria/benchmarks/terminal-test')).terminalTest },
      manifestUrl: new URL('../package.json', import.meta.url),
    }),
  );
} else {
  process.stderr.write(fault);
  process.exitCode = 2;
}
