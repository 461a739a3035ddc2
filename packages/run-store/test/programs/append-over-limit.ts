// Runs under a file-size limit: appends until it is reached, then a record that still fits, and prints what happened.
import { isTalariaError } from '@talaria/core';
import { numberedRollout, openSampleRun } from '../sample-run.ts';
import { say } from '../say.ts';

const [path = ''] = process.argv.slice(2);
await using folder = await openSampleRun(path, 'create');
const large = { info: { padding: 'x'.repeat(10_000) } };
let stored = 0;
for (;;) {
  try {
    await folder.appendRollout(numberedRollout(stored, large));
    stored += 1;
  } catch (error) {
    if (!isTalariaError(error)) throw error;
    say(JSON.stringify({ stored, code: error.code, message: error.message, hint: error.hint }));
    break;
  }
}
await folder.appendRollout(numberedRollout(stored));
say('stored a small one');
