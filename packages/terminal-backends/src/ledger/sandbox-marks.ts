import { parseJson } from '@talaria/core';
import { parseOwner, type SandboxOwner } from './sandbox-owner.ts';

/** What the labels of a sandbox tell of it. */
export interface SandboxMarks {
  readonly taskId: string;
  /** `null` where it cannot be read. */
  readonly owner: SandboxOwner | null;
  /** Milliseconds since 1970; `null` where it cannot be read. */
  readonly expiresAt: number | null;
}

/** What the labels of a new sandbox are to tell. */
export interface NewSandboxMarks {
  readonly taskId: string;
  readonly owner: SandboxOwner;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** How a service spells labels. */
export interface MarkSpelling {
  /** Between the parts of a name. */
  readonly separator: '.' | '-';
  /** Most characters of a task's name; the rest is cut. */
  readonly maxTaskLength: number;
}

/** Labels that say whose a sandbox is. */
export function writeMarks(
  { taskId, owner, expiresAt }: NewSandboxMarks,
  { separator, maxTaskLength }: MarkSpelling,
): Record<string, string> {
  return {
    talaria: '1',
    [`talaria${separator}task`]: taskId.slice(0, maxTaskLength),
    [`talaria${separator}owner`]: JSON.stringify(owner),
    [`talaria${separator}expires`]: String(expiresAt),
  };
}

/** Reads such labels. */
export function readMarks(
  labels: Readonly<Record<string, string>>,
  { separator }: Pick<MarkSpelling, 'separator'>,
): SandboxMarks {
  const owner = parseJson(labels[`talaria${separator}owner`] ?? '');
  const expiresAt = Number.parseInt(labels[`talaria${separator}expires`] ?? '', 10);
  return {
    taskId: labels[`talaria${separator}task`] ?? '',
    owner: owner.ok ? parseOwner(owner.value) : null,
    expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
  };
}
