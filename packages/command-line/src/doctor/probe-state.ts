import { errorMessage } from '@talaria/core';
import { formatNumber } from '../format-quantity.ts';
import type { Host } from '../host.ts';
import { checkStateFolder, stateFolder } from '../state-folder.ts';
import { countSandboxes, type SandboxCounts } from './count-sandboxes.ts';
import type { Finding } from './finding.ts';

/** Looks at the folder for state: where it is, whether it can be used, and which sandboxes it knows. */
export async function probeState(host: Host): Promise<Finding> {
  const folder = stateFolder(host);
  const base = { name: 'state folder', isRequired: true };
  try {
    await checkStateFolder(folder);
    const known = describeCounts(await countSandboxes(folder), host);
    return { ...base, status: 'ok', detail: folder, hint: `${known}; TERMINAL_SANDBOX_DIR moves it` };
  } catch (error) {
    return {
      ...base,
      status: 'broken',
      detail: errorMessage(error),
      hint: 'Make it writable, or name another one in TERMINAL_SANDBOX_DIR',
    };
  }
}

/** `holds 2 sandboxes: 1 in use, 1 left over: talaria sandboxes sweep`. */
function describeCounts({ inUse, leftover, unknown }: SandboxCounts, { programName }: Host): string {
  const total = inUse + leftover + unknown;
  if (total === 0) return 'holds no sandbox';
  const parts = [
    ...(inUse === 0 ? [] : [`${inUse} in use`]),
    ...(unknown === 0 ? [] : [`${unknown} of another machine or not to be read`]),
    ...(leftover === 0 ? [] : [`${leftover} left over: ${programName} sandboxes sweep`]),
  ];
  return `holds ${formatNumber(total, 'sandbox', 'sandboxes')}: ${parts.join(', ')}`;
}
