// Commands in an instance of Apptainer, as on a cluster without a daemon: an image, files over it, no network.
// Needs the program, and an image: APPTAINER_IMAGE, else docker://debian:12-slim, which is built once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSingularityBackend } from '@talaria/terminal-backends/singularity';

const { APPTAINER, APPTAINER_IMAGE = 'docker://debian:12-slim' } = process.env;
const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-example-'));
const backend = createSingularityBackend({
  stateFolder,
  environment: process.env,
  program: APPTAINER,
  image: APPTAINER_IMAGE,
  onProgress: ({ text }) => console.log(text),
});
await backend.sweep(); // instances that runs which crashed left behind
{
  await using sandbox = await backend.open({ taskId: 'example', allowNetwork: false });
  await sandbox.run('mkdir /work && cd /work && export NAME=apptainer');
  const result = await sandbox.run('echo "$NAME in $PWD as $(id -un)"; tail -n +3 /proc/net/dev | cut -d: -f1');
  console.log(result.output.trim().split(/\s*\n\s*/)); // [ 'apptainer in /work as root', 'lo' ]
}
await rm(stateFolder, { recursive: true });
