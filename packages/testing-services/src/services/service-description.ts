/** A Docker Engine, or what speaks like one, and the images that tests may use; no registry need be reachable. */
export interface DockerService {
  /** The engine's Unix socket, absolute. */
  readonly socketPath: string;
  /** The engine's own version, for example `20.10.24+dfsg1`. */
  readonly version: string;
  /** Debian 12 with bash, python3, git and procps. */
  readonly image: string;
  /** A small image with BusyBox only: `/bin/sh`, no bash. */
  readonly shellImage: string;
}

/** An OpenSSH server on loopback that admits one key. It is shared: a test that ends a server starts its own. */
export interface SshService {
  /** Always `127.0.0.1`. */
  readonly host: string;
  readonly port: number;
  /** The account that the key admits: the one that started the server. */
  readonly user: string;
  /** File of the private key, ed25519, without passphrase. */
  readonly privateKeyPath: string;
  /** File that holds the server's host key under `[host]:port`. */
  readonly knownHostsPath: string;
  /** The program, for tests that start a server of their own. */
  readonly serverPath: string;
}

/** The `apptainer` program and images for it. */
export interface ApptainerService {
  /** The program, absolute; its name is `apptainer`, so that its folder can go first on a `PATH`. */
  readonly path: string;
  /** As the program tells it, for example `1.4.5`. */
  readonly version: string;
  /** SIF file, Debian 12 with bash, python3, git and procps. */
  readonly image: string;
  /** SIF file with BusyBox only: `/bin/sh`, no bash. */
  readonly shellImage: string;
  /** Root lacks a capability here that the program asks for, so `exec` and `instance start` need `--no-privs`. */
  readonly needsNoPrivs: boolean;
}

/** What each service is described by, under its name. */
export interface ServiceDescriptions {
  readonly docker: DockerService;
  /** Podman, by the socket at which it answers as a Docker Engine does. */
  readonly podman: DockerService;
  readonly ssh: SshService;
  readonly apptainer: ApptainerService;
}

export type ServiceName = keyof ServiceDescriptions;

/** The names, in the order in which they are told. */
export const serviceNames: readonly ServiceName[] = ['docker', 'podman', 'ssh', 'apptainer'];

type FieldTypes<Description> = {
  readonly [Field in keyof Description]: Description[Field] extends string
    ? 'string'
    : Description[Field] extends number
      ? 'number'
      : 'boolean';
};

const engineFields: FieldTypes<DockerService> = {
  socketPath: 'string',
  version: 'string',
  image: 'string',
  shellImage: 'string',
};

const fieldTypes: { readonly [Name in ServiceName]: FieldTypes<ServiceDescriptions[Name]> } = {
  docker: engineFields,
  podman: engineFields,
  ssh: {
    host: 'string',
    port: 'number',
    user: 'string',
    privateKeyPath: 'string',
    knownHostsPath: 'string',
    serverPath: 'string',
  },
  apptainer: { path: 'string', version: 'string', image: 'string', shellImage: 'string', needsNoPrivs: 'boolean' },
};

/** Whether a value that was read from a file describes this service whole. */
export function isDescriptionOf<Name extends ServiceName>(
  name: Name,
  value: unknown,
): value is ServiceDescriptions[Name] {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return Object.entries(fieldTypes[name]).every(([field, type]) => typeof fields.get(field) === type);
}
