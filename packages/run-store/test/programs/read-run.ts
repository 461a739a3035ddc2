// Resumes the folder in argv, reads every rollout, and prints how many there are.
import { openSampleRun } from '../sample-run.ts';
import { say } from '../say.ts';

const [path = ''] = process.argv.slice(2);
await using folder = await openSampleRun(path, 'resume');
let count = 0;
for await (const _rollout of folder.rollouts()) count += 1;
say(`${folder.rolloutCount} indexed, ${count} read`);
