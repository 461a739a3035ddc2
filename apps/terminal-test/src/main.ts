#!/usr/bin/env node
import { describeOldNode } from '@talaria/command-line/node-version';

const fault = describeOldNode(process.versions.node);
if (fault === null) {
  // Loaded only now: an old Node fails on it with errors that say nothing.
  const [{ runEnvironmentCli }, { terminalTest }] = await Promise.all([
    import('@talaria/command-line'),
    import('@talaria/benchmarks/terminal-test'),
  ]);
  await runEnvironmentCli(terminalTest);
} else {
  process.stderr.write(fault);
  process.exitCode = 2;
}
