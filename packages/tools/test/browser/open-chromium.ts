import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserDriver } from '@talaria/tools/browser';
import { createPlaywrightDriver, type PlaywrightDriverOptions } from '@talaria/tools/browser/playwright';
import { createUrlPolicy, type ResolvedAddress, type UrlPolicyOptions } from '@talaria/tools/web';
import { openTestServer, type Respond, type TestServer } from '../web/open-test-server.ts';
import { chromiumProgram } from './describe-with-chromium.ts';

/** A driver of Chromium, and a server that the names of the tests lead to. */
export interface ChromiumSubject extends AsyncDisposable {
  readonly driver: BrowserDriver;
  readonly server: TestServer;
  /** `http://shop.test:port`. */
  readonly origin: string;
  /** What the test's resolver was asked, in order. */
  readonly resolved: readonly string[];
  /** Ids of the browser's processes that run now. */
  processes(): Promise<readonly number[]>;
  /** The folder that must be empty in the end. */
  readonly temporaryFolder: string;
}

/** Addresses of names, where a test wants others than those of the server. */
export type Addresses = (name: string) => readonly ResolvedAddress[] | undefined;

/** Opens them; nothing but loopback is ever reached. Disposing of it fails where something is left behind. */
export async function openChromium(
  respond: Respond,
  options: PlaywrightDriverOptions & { readonly addresses?: Addresses; readonly policy?: UrlPolicyOptions } = {},
): Promise<ChromiumSubject> {
  const { addresses, policy, ...driverOptions } = options;
  const server = await openTestServer(respond);
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'talaria-browser-test-'));
  const resolved: string[] = [];
  const urlPolicy = createUrlPolicy({
    allowPrivateHosts: [`shop.test:${server.port}`],
    resolve: async (name) => {
      resolved.push(name);
      return addresses?.(name) ?? [{ address: '127.0.0.1', family: 4 }];
    },
    ...policy,
  });
  const driver = createPlaywrightDriver({
    executablePath: chromiumProgram,
    urlPolicy,
    temporaryFolder,
    launchTimeoutMs: 60_000,
    ...driverOptions,
  });
  const processes = (): Promise<readonly number[]> => processesWith(temporaryFolder);
  return {
    driver,
    server,
    origin: `http://shop.test:${server.port}`,
    resolved,
    temporaryFolder,
    processes,
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]();
      await server.idle();
      await server[Symbol.asyncDispose]();
      const left = { files: await readdir(temporaryFolder), processes: await processes() };
      await rm(temporaryFolder, { recursive: true, force: true });
      if (left.files.length > 0 || left.processes.length > 0) throw new Error(`Left behind: ${JSON.stringify(left)}`);
    },
  };
}

/** Processes whose environment names a folder. */
export async function processesWith(folder: string): Promise<readonly number[]> {
  const ids = (await readdir('/proc')).map(Number).filter((id) => id > 0 && id !== process.pid);
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        const environment = await readFile(`/proc/${id}/environ`, 'utf8');
        const status = await readFile(`/proc/${id}/stat`, 'utf8');
        return environment.includes(folder) && !/\) [ZX] /.test(status) ? [id] : [];
      } catch {
        // It ended meanwhile.
        return [];
      }
    }),
  );
  return found.flat();
}
