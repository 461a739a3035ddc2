import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import { baseEnvironment } from './base-environment.ts';

/** Where a build runs its commands, and who hears of it. */
export interface BuildPlace {
  readonly environment: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly log: (line: string) => void;
}

/** Runs the commands of a layer for real. Rejects at the first that fails. */
export async function buildLayer(root: SandboxRoot, steps: readonly string[], place: BuildPlace): Promise<void> {
  const { workdir, log } = place;
  await mkdir(await root.resolve(workdir), { recursive: true });
  const environment = { ...baseEnvironment(root), ...place.environment };
  for (const [index, step] of steps.entries()) {
    log(`Step ${index}: RUN ${step}`);
    const process = await root.spawn(['/bin/sh', '-c', step], { cwd: workdir, env: environment, mergeStderr: true });
    process.stdin.end();
    for await (const line of createInterface({ input: process.stdout })) log(line);
    const code = await process.exited;
    if (code !== 0) throw new Error(`RemoteError: container exit status: exit status ${code}`);
  }
}
