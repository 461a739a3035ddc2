import type { OutputStream } from '../host.ts';

/**
 * Writes parts of a text one after another, each once the one before has gone out, so that a slow reader has them made
 * for it and not piled up. Ends early, with false, where nobody reads any more.
 */
export async function writeParts(stream: OutputStream, parts: Iterable<string>): Promise<boolean> {
  for (const part of parts) {
    stream.write(part);
    if (!(await stream.flush())) return false;
  }
  return true;
}
