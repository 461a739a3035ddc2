import { existsSync, readFileSync, rmSync } from 'node:fs';
import { execa } from 'execa';
import { getOverSocket } from '../../packages/testing-services/src/services/probe-service.ts';
import type { DockerService } from '../../packages/testing-services/src/services/service-description.ts';
import { startInBackground } from './background-process.ts';
import { makeBusyboxArchive, makeDebianArchive } from './debian-roots.ts';
import { createEngineClient, image, importImage, recipeOf, shellImage, versionOf } from './engine-images.ts';
import { findProgram, isRoot } from './host-programs.ts';
import { type ServiceContext, timed } from './service-context.ts';
import { StepError } from './step-error.ts';

const defaultSocket = '/var/run/docker.sock';
const processIdFile = '/var/run/docker.pid';
const startTimeoutMs = 60_000;
/** What Dockerfiles of tests begin with. Nobody's own image of this name is replaced. */
const publicName = 'debian:12-slim';

/** Brings up a Docker Engine, or takes the one that runs, and gives it the images for tests. */
export async function bringUpDocker(context: ServiceContext): Promise<DockerService> {
  const socketPath = socketOf(process.env['DOCKER_HOST']);
  if (!(await answers(socketPath))) refuseUnlessStartable(socketPath);
  const [, debian, busybox] = await Promise.all([
    startEngine(context, socketPath),
    makeDebianArchive(context),
    makeBusyboxArchive(context),
  ]);
  await context.packages.ensure([{ program: 'docker', package: 'docker.io' }]);
  const docker = createEngineClient(
    'docker',
    ['--host', `unix://${socketPath}`],
    `See what the Docker engine at ${socketPath} says in its log.`,
  );
  await importImage(context, docker, debian, { name: image, shell: 'bash' });
  await importImage(context, docker, busybox, { name: shellImage, shell: 'sh' });
  const publicKey = await recipeOf(docker, publicName);
  if (publicKey === undefined || (publicKey !== '' && publicKey !== debian.key)) {
    await docker(['image', 'tag', image, publicName]);
  }
  return { socketPath, version: await versionOf(docker), image, shellImage };
}

function socketOf(dockerHost: string | undefined): string {
  if (!dockerHost) return defaultSocket;
  const socket = /^unix:\/\/(\/.+)$/.exec(dockerHost)?.[1];
  if (socket !== undefined) return socket;
  throw new StepError(
    `DOCKER_HOST is ${dockerHost}, and the tests speak to a Unix socket`,
    'Unset DOCKER_HOST, or point it to unix:///path/of/the/socket.',
  );
}

/** Said before anything slow begins. */
function refuseUnlessStartable(socketPath: string): void {
  if (isRoot && process.platform === 'linux' && socketPath === defaultSocket) return;
  throw new StepError(
    `no Docker engine answers at ${socketPath}, and this script starts one only as root on Linux and at ${defaultSocket}`,
    'Start Docker, and see that this account may use its socket; or run this as root on Debian 12.',
  );
}

async function startEngine(context: ServiceContext, socketPath: string): Promise<void> {
  if (await answers(socketPath)) return;
  await context.packages.ensure([
    { program: 'dockerd', package: 'docker.io' },
    { program: 'iptables', package: 'iptables' },
  ]);
  // Where the system runs services, the installation has started it.
  if (await answers(socketPath)) return;
  await removeStaleProcessIdFile();
  await timed(context, 'Docker engine started', () =>
    startInBackground({
      file: findProgram('dockerd') ?? 'dockerd',
      args: ['--host', `unix://${socketPath}`, '--label', `talaria.started-by=${context.folder}`],
      folder: context.folder,
      isReady: () => answers(socketPath),
      readyTimeoutMs: startTimeoutMs,
      hint: 'It needs root in a machine of its own (in a container only a privileged one), overlayfs and iptables.',
    }),
  );
}

/** An engine that was killed leaves it, and the next one does not start while any process has that number. */
async function removeStaleProcessIdFile(): Promise<void> {
  const processId = existsSync(processIdFile) ? readFileSync(processIdFile, 'utf8').trim() : '';
  if (!/^\d+$/.test(processId)) return;
  const result = await execa('ps', ['-o', 'stat=,comm=', '-p', processId], { reject: false });
  if (!/^[^Z]\S*\s+dockerd$/.test(result.stdout.trim())) rmSync(processIdFile, { force: true });
}

async function answers(socketPath: string): Promise<boolean> {
  return (await getOverSocket(socketPath, '/_ping')).status === 200;
}
