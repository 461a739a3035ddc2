import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import type { Sandbox } from '@talaria/terminal-backends';
import { declareFileCases } from './declare-file-cases.ts';
import { declarePatchCases } from './declare-patch-cases.ts';
import { declareProcessCases } from './declare-process-cases.ts';
import { declareSearchCases } from './declare-search-cases.ts';
import { declareTerminalCases } from './declare-terminal-cases.ts';
import { declareTodoCases } from './declare-todo-cases.ts';
import { type OpenPlace, openPlace } from './open-place.ts';

/** Declares what every built-in tool must do on every backend. All tests share one sandbox, each in a folder of its own. */
export function declareToolSuite(openSandbox: () => Promise<Sandbox>): void {
  // Each look at a file may be a way over the network, on a machine that does other things as well.
  jest.setTimeout(120_000);
  // A group of its own, so that the sandbox is gone when its owner looks for what it left.
  describe('the built-in tools', () => {
    let sandbox: Sandbox;
    let count = 0;
    beforeAll(async () => {
      sandbox = await openSandbox();
    }, 60_000);
    afterAll(async () => sandbox[Symbol.asyncDispose]());

    const open: OpenPlace = (options) => {
      count += 1;
      return openPlace(sandbox, count, options);
    };
    describe('terminal', () => declareTerminalCases(open));
    describe('process', () => declareProcessCases(open));
    describe('read_file and write_file', () => declareFileCases(open));
    describe('patch', () => declarePatchCases(open));
    describe('search_files', () => declareSearchCases(open));
    describe('todo', () => declareTodoCases(open));
  });
}
