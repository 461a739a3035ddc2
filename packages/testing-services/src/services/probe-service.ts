import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import type {
  ApptainerService,
  DockerService,
  ServiceDescriptions,
  ServiceName,
  SshService,
} from './service-description.ts';

const answerTimeoutMs = 5_000;
/** The program is entered through a root of its own and may meet a cold disk. */
const programTimeoutMs = 20_000;

const probes: { readonly [Name in ServiceName]: (service: ServiceDescriptions[Name]) => Promise<string | undefined> } =
  {
    docker: (service) => probeEngine('Docker', service),
    podman: (service) => probeEngine('Podman', service),
    ssh: probeSsh,
    apptainer: probeApptainer,
  };

/** Asks a service now. `undefined` = it answers; else why it is of no use, in words. */
export function probeService<Name extends ServiceName>(
  name: Name,
  service: ServiceDescriptions[Name],
): Promise<string | undefined> {
  return probes[name](service);
}

async function probeEngine(
  kind: string,
  { socketPath, image, shellImage }: DockerService,
): Promise<string | undefined> {
  const engine = `the ${kind} engine at ${socketPath}`;
  const ping = await getOverSocket(socketPath, '/_ping');
  if (ping.status !== 200) return `${engine} does not answer (${ping.text})`;
  for (const name of [image, shellImage]) {
    const answer = await getOverSocket(socketPath, `/images/${name}/json`);
    if (answer.status === 404) return `${engine} has no image ${name}`;
    if (answer.status !== 200) return `${engine} does not tell of ${name} (${answer.text})`;
  }
  return undefined;
}

async function probeSsh({ host, port, privateKeyPath, knownHostsPath }: SshService): Promise<string | undefined> {
  const greeting = await readGreeting(host, port);
  if (!greeting.startsWith('SSH-')) return `no SSH server at ${host}:${port} (${greeting})`;
  return firstMissing([privateKeyPath, knownHostsPath]);
}

async function probeApptainer({ path, image, shellImage }: ApptainerService): Promise<string | undefined> {
  const failure = await new Promise<string | undefined>((resolve) => {
    execFile(path, ['--version'], { timeout: programTimeoutMs }, (error, _stdout, stderr) =>
      resolve(error === null ? undefined : `${path} does not run (${lastLine(stderr) || error.message})`),
    );
  });
  return failure ?? firstMissing([image, shellImage]);
}

/** Asks an HTTP server at a Unix socket. Status 0 = no answer, and `text` says why. */
export function getOverSocket(
  socketPath: string,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve) => {
    const request = get(
      { socketPath, path, agent: false, signal: AbortSignal.timeout(answerTimeoutMs) },
      (response) => {
        response.resume();
        response.on('error', (error) => resolve({ status: 0, text: error.message }));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: `status ${response.statusCode}` }));
      },
    );
    request.on('error', (error) => resolve({ status: 0, text: error.message }));
  });
}

/** What a server says first, or why it says nothing. */
function readGreeting(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (text: string): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(answerTimeoutMs, () => end(`silent for ${answerTimeoutMs} ms`));
    socket.on('error', (error) => end(error.message));
    socket.on('end', () => end('the connection was closed'));
    socket.once('data', (bytes) => end(bytes.toString('latin1').trim()));
  });
}

async function firstMissing(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      await access(path, constants.R_OK);
    } catch {
      // Why it cannot be read does not matter: it is of no use.
      return `${path} cannot be read`;
    }
  }
  return undefined;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
