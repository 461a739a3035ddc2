import { type BackendFinding, broken, missing } from './backend-probe.ts';
import { isInCaretRange } from './caret-range.ts';
import type { PeerPackage } from './find-package.ts';

/** What is wrong with a package that a backend needs; `null` where nothing is known to be. */
export function judgePackage({ name, range, version }: PeerPackage): BackendFinding | null {
  const install = `npm install ${name}${range === '' ? '' : `@${range}`}`;
  if (version === null) return missing(`the package ${name} is not installed`, install);
  if (isInCaretRange(version, range) !== false) return null;
  return broken(`${name} ${version} is installed, and the backend works with ${range}`, install);
}
