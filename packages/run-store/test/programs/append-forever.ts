// Appends rollouts to the folder in argv, several at a time, and prints "done <key>" once each is on disk.
import { numberedRollout, openSampleRun } from '../sample-run.ts';
import { say } from '../say.ts';

const [path = '', round = ''] = process.argv.slice(2);
const folder = await openSampleRun(path, 'create-or-resume');
say('opened');
let number = 0;

async function work(): Promise<void> {
  for (;;) {
    const key = `r${round}n${number}`;
    number += 1;
    const padding = 'x'.repeat((number * 7919) % 20_000);
    await folder.appendRollout(numberedRollout(0, { itemKey: `${key}:0`, rolloutId: key, info: { padding } }));
    say(`done ${key}`);
  }
}

await Promise.all(Array.from({ length: 8 }, work));
