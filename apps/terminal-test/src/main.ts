#!/usr/bin/env node
import { terminalTest } from '@talaria/benchmarks/terminal-test';
import { runEnvironmentCli } from '@talaria/command-line';

await runEnvironmentCli(terminalTest);
