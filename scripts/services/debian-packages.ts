import { findProgram, isRoot, runProgram } from './host-programs.ts';
import { StepError } from './step-error.ts';

const updateTimeoutMs = 120_000;
const installTimeoutMs = 300_000;
/** Another installation may hold the lock for as long. */
const lockTimeoutSeconds = 120;
const networkHint = 'See that this machine reaches a mirror of Debian (apt-get update), then run this again.';

/** A program, and the package of Debian that brings it. */
export interface NeededProgram {
  readonly program: string;
  readonly package: string;
}

export interface DebianPackages {
  /** Installs what is missing; does nothing where all is there. @throws StepError when it cannot */
  ensure(needed: readonly NeededProgram[]): Promise<void>;
  /** Fetches a package into a folder without installing it. Needs root only where no list of packages was fetched yet. */
  download(packageName: string, folder: string): Promise<void>;
}

/** Installs by apt-get, one call after the other, with one fetch of the lists of packages. */
export function createDebianPackages(): DebianPackages {
  let updated: Promise<unknown> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  function update(): Promise<unknown> {
    updated ??= runProgram('apt-get', ['update', '-qq'], { timeoutMs: updateTimeoutMs, hint: networkHint });
    return updated;
  }

  async function install(packages: readonly string[]): Promise<void> {
    await update();
    const lock = ['-o', `DPkg::Lock::Timeout=${lockTimeoutSeconds}`];
    await runProgram('apt-get', [...lock, 'install', '-y', '-qq', '--no-install-recommends', ...packages], {
      timeoutMs: installTimeoutMs,
      hint: networkHint,
      // Keeps the packages' scripts from starting their services where init scripts would.
      extraEnvironment: { RUNLEVEL: '1' },
    });
  }

  return {
    async ensure(needed) {
      const missing = needed.filter((entry) => findProgram(entry.program) === undefined);
      if (missing.length === 0) return;
      const packages = [...new Set(missing.map((entry) => entry.package))];
      const names = missing.map((entry) => entry.program).join(', ');
      if (!isRoot || findProgram('apt-get') === undefined) {
        throw new StepError(
          `not installed: ${names}, and only root on a Debian system can have this script install it`,
          `Install what brings it (on Debian: apt-get install ${packages.join(' ')}), or run this as root on Debian 12.`,
        );
      }
      const done = queue.then(() => install(packages));
      queue = done.catch(() => undefined);
      await done;
    },
    async download(packageName, folder) {
      if (findProgram('apt-get') === undefined) {
        throw new StepError(`${packageName} comes from Debian, and there is no apt-get`, 'Run this on Debian 12.');
      }
      if (isRoot) await update();
      await runProgram('apt-get', ['download', '-qq', packageName], {
        timeoutMs: updateTimeoutMs,
        hint: networkHint,
        folder,
      });
    },
  };
}
