import { execFile } from 'node:child_process';
import { findChromium, isExecutable } from './find-chromium.ts';
import { findPlaywrightProblem } from './load-playwright.ts';

/** What {@link describeMissingBrowser} takes. */
export interface BrowserCheckOptions {
  /** Program of Chromium or Chrome. @default where systems install it */
  readonly executablePath?: string | undefined;
  /** Address of a browser that runs already; only the package is needed then. */
  readonly cdpUrl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Something that the driver lacks, and how to get it. */
export interface MissingBrowserPart {
  readonly part: 'package' | 'program' | 'libraries';
  readonly message: string;
  readonly hint: string;
}

/** How long the program may take to tell its version. */
const versionLimitMs = 15_000;

/** What is missing here to drive a browser; empty where nothing is. Starts the program once, to hear its version. */
export async function describeMissingBrowser(
  options: BrowserCheckOptions = {},
): Promise<readonly MissingBrowserPart[]> {
  const { cdpUrl, signal, executablePath: program = findChromium() } = options;
  const missing: MissingBrowserPart[] = [];
  const problem = findPlaywrightProblem();
  if (problem !== undefined) missing.push({ part: 'package', message: `${problem.message}.`, hint: problem.hint });
  if (cdpUrl !== undefined) return missing;
  if (program === undefined || !isExecutable(program)) {
    const message = program === undefined ? 'Neither Chromium nor Chrome is installed.' : `${program} cannot be run.`;
    return [...missing, { part: 'program', message, hint: 'apt-get install chromium, or name its program' }];
  }
  const failure = await versionFailure(program, signal);
  return failure === undefined ? missing : [...missing, failure];
}

async function versionFailure(
  program: string,
  signal: AbortSignal | undefined,
): Promise<MissingBrowserPart | undefined> {
  signal?.throwIfAborted();
  const output = await new Promise<string | undefined>((resolve) => {
    execFile(program, ['--version'], { timeout: versionLimitMs, signal }, (error, stdout, stderr) => {
      resolve(error === null ? undefined : `${stderr}\n${stdout}\n${error.message}`);
    });
  });
  signal?.throwIfAborted();
  if (output === undefined) return undefined;
  const libraries = [...output.matchAll(/error while loading shared libraries: ([^\s:]+)/g)].map(([, name]) => name);
  if (libraries.length > 0) {
    const message = `${program} lacks libraries: ${libraries.join(', ')}.`;
    return { part: 'libraries', message, hint: 'Install the packages of the system that hold them.' };
  }
  const [line = ''] = output.trim().split('\n', 1);
  return { part: 'program', message: `${program} does not start: ${line}`, hint: 'Install Chromium again.' };
}
