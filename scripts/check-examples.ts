// Runs every example as a reader would, on the sources. Each must end by itself with 0. Those of backends run against the
// services for tests, and against doubles of the providers; where a service is not there, its example is left out, which
// in CI is a failure.
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { execa } from 'execa';
import { openExamplePlace } from './example-place.ts';

const timeoutMs = 60_000;
const folder = await mkdtemp(join(tmpdir(), 'talaria-examples-'));
let failed = 0;
for (const file of globSync('examples/*.ts').sort()) {
  await using place = await openExamplePlace(basename(file, '.ts'));
  if (place.kind === 'absent') {
    const isRequired = process.env['TALARIA_REQUIRE_SERVICES'] === '1';
    if (isRequired) failed += 1;
    console.log(`${isRequired ? 'FAILED ' : 'skipped'} ${file}: ${place.reason}`);
    continue;
  }
  const startedAt = performance.now();
  const result = await execa(process.execPath, ['--conditions=@talaria/source', resolve(file)], {
    cwd: folder,
    env: place.variables,
    timeout: timeoutMs,
    reject: false,
    all: true,
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (result.failed) {
    failed += 1;
    console.error(`FAILED  ${file} (${seconds} s)\n${result.all}`);
  } else {
    console.log(`ok      ${file} (${seconds} s)`);
  }
}
await rm(folder, { recursive: true, force: true });
process.exitCode = failed === 0 ? 0 : 1;
