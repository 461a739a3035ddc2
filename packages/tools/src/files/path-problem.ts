import { Buffer } from 'node:buffer';

/** What Linux takes at most, in bytes. */
const maxPathBytes = 4_095;
const maxNameBytes = 255;

/** Why no system can have a file at a path, in a sentence that does not repeat it; `undefined` where it may. */
export function pathProblem(path: string): string | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes > maxPathBytes)
    return `The path has ${bytes} bytes; at most ${maxPathBytes} are possible. Use a shorter one.`;
  const isLong = path.split('/').some((name) => Buffer.byteLength(name) > maxNameBytes);
  return isLong ? `A name in the path has more than ${maxNameBytes} bytes. Use a shorter one.` : undefined;
}
