import { parseJson } from '@talaria/core';
import { parseOwner, type SandboxOwner } from '../ledger/sandbox-owner.ts';

/** What the labels of a sandbox tell. */
export interface SandboxMarks {
  readonly taskId: string;
  /** `null` where it cannot be read. */
  readonly owner: SandboxOwner | null;
  /** Milliseconds since 1970; `null` where it cannot be read. */
  readonly expiresAt: number | null;
}

/** Labels that every sandbox of Talaria bears. */
export const sandboxLabels: Readonly<Record<string, string>> = { talaria: '1' };

const maxTaskLength = 200;

/** Labels for a new sandbox: with them, whoever finds it knows whose it is. */
export function writeLabels(marks: {
  readonly taskId: string;
  readonly owner: SandboxOwner;
  readonly expiresAt: number;
}): Record<string, string> {
  return {
    ...sandboxLabels,
    'talaria-task': marks.taskId.slice(0, maxTaskLength),
    'talaria-owner': JSON.stringify(marks.owner),
    'talaria-expires': String(marks.expiresAt),
  };
}

/** Reads such labels. */
export function readLabels(labels: Readonly<Record<string, string>>): SandboxMarks {
  const owner = parseJson(labels['talaria-owner'] ?? '');
  const expiresAt = Number.parseInt(labels['talaria-expires'] ?? '', 10);
  return {
    taskId: labels['talaria-task'] ?? '',
    owner: owner.ok ? parseOwner(owner.value) : null,
    expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
  };
}
