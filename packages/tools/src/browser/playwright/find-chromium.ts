import { accessSync, constants } from 'node:fs';

const folders = ['/usr/bin', '/usr/local/bin', '/opt/google/chrome', '/opt/homebrew/bin', '/snap/bin'];
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const macPrograms = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** Chromium or Chrome where systems install it; `undefined` where there is none. */
export function findChromium(): string | undefined {
  const candidates = folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));
  return [...candidates, ...macPrograms].find(isExecutable);
}

/** Whether a file can be run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run.
    return false;
  }
}
