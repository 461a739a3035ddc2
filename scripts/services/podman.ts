import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getOverSocket } from '../../packages/testing-services/src/services/probe-service.ts';
import type { DockerService } from '../../packages/testing-services/src/services/service-description.ts';
import { startInBackground } from './background-process.ts';
import { makeBusyboxArchive, makeDebianArchive } from './debian-roots.ts';
import { createEngineClient, image, importImage, shellImage, versionOf } from './engine-images.ts';
import { isRoot } from './host-programs.ts';
import { podmanEntry } from './podman-entry.ts';
import { type ServiceContext, timed } from './service-context.ts';
import { StepError } from './step-error.ts';

const startTimeoutMs = 60_000;
/** It is on no `PATH`. */
const networkProgram = '/usr/lib/podman/netavark';

/** Starts a Podman of this checkout's own at a socket that speaks as Docker's, and gives it the images for tests. */
export async function bringUpPodman(context: ServiceContext): Promise<DockerService> {
  if (!(isRoot && process.platform === 'linux')) {
    throw new StepError(
      'this script starts Podman only as root on Linux',
      'Run this as root on Debian 12, or leave podman out.',
    );
  }
  const socketPath = join(context.folder, 'podman.sock');
  const [, debian, busybox] = await Promise.all([
    startPodman(context, socketPath),
    makeDebianArchive(context),
    makeBusyboxArchive(context),
  ]);
  const podman = createEngineClient(
    'podman',
    ['--remote', '--url', `unix://${socketPath}`],
    `See what Podman says in its log, ${join(context.folder, 'output.log')}.`,
  );
  // In full: a short name would become one of localhost, which is none to those who ask as Docker's clients do.
  await importImage(context, podman, debian, { name: `docker.io/${image}`, shell: 'bash' });
  await importImage(context, podman, busybox, { name: `docker.io/${shellImage}`, shell: 'sh' });
  return { socketPath, version: await versionOf(podman), image, shellImage };
}

async function startPodman(context: ServiceContext, socketPath: string): Promise<void> {
  if (await answers(socketPath)) return;
  await context.packages.ensure([
    { program: 'podman', package: 'podman' },
    { program: 'runc', package: 'runc' },
    { program: 'iptables', package: 'iptables' },
    { program: 'ip', package: 'iproute2' },
    { program: 'unshare', package: 'util-linux' },
    ...(existsSync(networkProgram) ? [] : [{ program: 'netavark', package: 'netavark' }]),
  ]);
  await timed(context, 'Podman started', () =>
    startInBackground({
      file: '/bin/sh',
      args: ['-c', podmanEntry, 'podman', context.folder],
      folder: context.folder,
      isReady: () => answers(socketPath),
      readyTimeoutMs: startTimeoutMs,
      hint: 'It needs root in a machine of its own (in a container only a privileged one), overlayfs and iptables.',
    }),
  );
}

async function answers(socketPath: string): Promise<boolean> {
  return (await getOverSocket(socketPath, '/_ping')).status === 200;
}
