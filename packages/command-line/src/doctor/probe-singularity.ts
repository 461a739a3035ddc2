import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { TerminalConfig } from '@talaria/environments';
import type { Host } from '../host.ts';
import { type BackendFinding, broken, missing, usable } from './backend-probe.ts';
import { askProgramVersion } from './probe-programs.ts';

const install = 'conda install -c conda-forge apptainer, or https://apptainer.org/docs/admin/latest/installation.html';

/** Asks the program for its version, and looks whether the kernel lets it make user namespaces. */
export async function probeSingularity(host: Host, { singularity }: TerminalConfig): Promise<BackendFinding> {
  const names = singularity.program === null ? ['apptainer', 'singularity'] : [singularity.program];
  for (const name of names) {
    const answer = await askProgramVersion(host, [name, 'version']);
    if (answer.kind === 'absent') continue;
    if (answer.kind === 'failed') return broken(`${name} does not work: ${answer.reason}`, install);
    const fault = await findNamespaceFault();
    if (fault !== null) return broken(`${name} ${answer.version} may not make user namespaces`, fault);
    return usable(answer.version, `sandboxes without a daemon, as on clusters, by ${name}`);
  }
  return missing('sandboxes on clusters without a container daemon', install);
}

/** Switches of the kernel, what they say where they forbid it, and what to set. */
const switches = [
  { name: 'kernel/unprivileged_userns_clone', forbids: '0', command: 'kernel.unprivileged_userns_clone=1' },
  { name: 'user/max_user_namespaces', forbids: '0', command: 'user.max_user_namespaces=15000' },
  {
    name: 'kernel/apparmor_restrict_unprivileged_userns',
    forbids: '1',
    command: 'kernel.apparmor_restrict_unprivileged_userns=0',
  },
] as const;

/** The command that lets users make namespaces; `null` where they may, and for root, who always may. */
async function findNamespaceFault(): Promise<string | null> {
  if (userInfo().uid === 0) return null;
  for (const { name, forbids, command } of switches) {
    // A kernel that has no such switch forbids nothing by it.
    const value = await readFile(`/proc/sys/${name}`, 'latin1').catch(() => '');
    if (value.trim() === forbids) return `sudo sysctl -w ${command}`;
  }
  return null;
}
