import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macPrograms = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** The path of an installed Chromium or Chrome. */
export function findChromium(searchPath: string): string | undefined {
  const candidates = names.flatMap((name) => searchPath.split(delimiter).map((folder) => join(folder, name)));
  return [...candidates, ...macPrograms].find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run: the next candidate.
    return false;
  }
}
