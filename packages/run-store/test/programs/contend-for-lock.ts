// Tries to open each folder whose path comes in by a line, says "got" or the error's code, and lets go at "release".
import { createInterface } from 'node:readline';
import { isTalariaError } from '@talaria/core';
import type { RunFolder } from '../../src/index.ts';
import { openSampleRun } from '../sample-run.ts';
import { say } from '../say.ts';

let folder: RunFolder | undefined;
say('ready');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'release') {
    await folder?.[Symbol.asyncDispose]();
    folder = undefined;
    say('released');
    continue;
  }
  try {
    folder = await openSampleRun(line, 'create-or-resume');
    say('got');
  } catch (error) {
    say(isTalariaError(error) ? error.code : String(error));
  }
}
