import { type App, type Image, ModalClient, type Sandbox, type SandboxCreateParams } from 'modal';
import { createModalDouble, type ModalDouble, type ModalDoubleOptions } from '../src/modal/index.ts';

/** A double with a client of the real SDK. Disposing lets go of the sandboxes, then ends the double. */
export interface OpenModal extends AsyncDisposable {
  readonly double: ModalDouble;
  readonly client: ModalClient;
  readonly app: App;
  readonly image: Image;
  create(params?: SandboxCreateParams): Promise<Sandbox>;
}

/** Starts a double and points the SDK at it. */
export async function openModal(options: ModalDoubleOptions = {}): Promise<OpenModal> {
  const double = await createModalDouble(options);
  const client = connect(double);
  const app = await client.apps.fromName('talaria', { createIfMissing: true });
  const image = client.images.fromRegistry('debian:12');
  const opened: Sandbox[] = [];
  return {
    double,
    client,
    app,
    image,
    async create(params = {}) {
      const sandbox = await client.sandboxes.create(app, image, params);
      opened.push(sandbox);
      return sandbox;
    },
    async [Symbol.asyncDispose]() {
      for (const sandbox of opened) sandbox.detach();
      client.close();
      await double[Symbol.asyncDispose]();
    },
  };
}

/** The SDK takes the server only from variables. */
export function connect(double: ModalDouble, variables: Readonly<Record<string, string>> = {}): ModalClient {
  Object.assign(process.env, double.environment, variables);
  return new ModalClient({ logLevel: 'error' });
}

/** Runs a command to its end. */
export async function run(
  sandbox: Sandbox,
  words: string[],
  input?: Uint8Array,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const process = await sandbox.exec(words, { mode: 'binary' });
  const writer = process.stdin.getWriter();
  const send = async (): Promise<void> => {
    if (input) await writer.write(input);
    await writer.close();
  };
  const [stdout, stderr, code] = await Promise.all([
    process.stdout.readBytes(),
    process.stderr.readBytes(),
    process.wait(),
    send(),
  ]);
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<{ name: string; message: string; code?: number }> {
  try {
    await promise;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'name' in error && 'message' in error) {
      const code = 'code' in error && typeof error.code === 'number' ? { code: error.code } : {};
      return { name: String(error.name), message: String(error.message), ...code };
    }
    throw error;
  }
  throw new Error('It did not fail');
}
