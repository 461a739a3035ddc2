// What an example of a backend needs around it: a service, or a double of the provider.
import { createDaytonaDouble } from '@talaria/testing-services/daytona';
import { createModalDouble } from '@talaria/testing-services/modal';
import {
  type FoundService,
  findService,
  type ServiceDescriptions,
  type ServiceName,
} from '@talaria/testing-services/services';

/** Where an example can run, and with what variables; or why it cannot. */
export type ExamplePlace = AsyncDisposable &
  (
    | { readonly kind: 'ready'; readonly variables: Readonly<Record<string, string>> }
    | { readonly kind: 'absent'; readonly reason: string }
  );

const needsNamespaces =
  'the double cannot give its sandboxes roots of their own here: user namespaces, or root, are needed';

/** Opens what the example of this name needs. */
export async function openExamplePlace(name: string): Promise<ExamplePlace> {
  switch (name) {
    case 'backend-docker':
      return await withService('docker', ({ socketPath }) => ({ DOCKER_HOST: `unix://${socketPath}` }));
    case 'backend-ssh':
      return await withService('ssh', ({ host, port, user, privateKeyPath, knownHostsPath }) => ({
        SSH_HOST: host,
        SSH_PORT: String(port),
        SSH_USER: user,
        SSH_KEY: privateKeyPath,
        SSH_KNOWN_HOSTS: knownHostsPath,
      }));
    case 'backend-singularity':
      return await withService('apptainer', ({ path, image }) => ({ APPTAINER: path, APPTAINER_IMAGE: image }));
    case 'backend-modal': {
      const double = await createModalDouble();
      return withDouble(double, double.isolation === 'namespace', { ...double.environment });
    }
    case 'backend-daytona': {
      const double = await createDaytonaDouble();
      const variables = { DAYTONA_API_KEY: double.apiKey, DAYTONA_API_URL: double.apiUrl };
      return withDouble(double, double.isolation === 'namespace', variables);
    }
    default:
      return { kind: 'ready', variables: {}, ...nothingToClose };
  }
}

const nothingToClose: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined };

async function withService<Name extends ServiceName>(
  name: Name,
  read: (service: ServiceDescriptions[Name]) => Readonly<Record<string, string>>,
): Promise<ExamplePlace> {
  const found: FoundService<Name> = await findService(name);
  if (found.kind === 'absent') return { ...found, ...nothingToClose };
  return { kind: 'ready', variables: read(found.service), ...nothingToClose };
}

function withDouble(
  double: AsyncDisposable,
  isRooted: boolean,
  variables: Readonly<Record<string, string>>,
): ExamplePlace {
  const closing = { [Symbol.asyncDispose]: async () => await double[Symbol.asyncDispose]() };
  return isRooted ? { kind: 'ready', variables, ...closing } : { kind: 'absent', reason: needsNamespaces, ...closing };
}
