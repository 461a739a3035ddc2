import { writeSync } from 'node:fs';

/** Prints a line at once, so that it is out before the process can be killed. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}
