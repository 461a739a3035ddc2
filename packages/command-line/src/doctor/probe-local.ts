import { findOnPath } from '../find-on-path.ts';
import type { Host } from '../host.ts';
import { type BackendFinding, missing, usable } from './backend-probe.ts';

const programs = ['bash', 'mkfifo'];

/** Looks whether commands can run on this machine. */
export async function probeLocal(host: Host): Promise<BackendFinding> {
  const found = await Promise.all(programs.map((name) => findOnPath(host, name)));
  const lacking = programs.filter((_name, index) => found[index] === null);
  if (lacking.length === 0) return usable('isolates nothing', 'sandboxes as folders of this machine');
  return missing(`not found: ${lacking.join(', ')}`, 'apt-get install bash coreutils');
}
