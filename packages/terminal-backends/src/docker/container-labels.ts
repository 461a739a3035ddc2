import { parseJson } from '@talaria/core';
import { parseOwner, type SandboxOwner } from '../ledger/sandbox-owner.ts';

/** What the labels of a container tell of its sandbox. */
export interface ContainerMarks {
  readonly taskId: string;
  /** `null` where it cannot be read. */
  readonly owner: SandboxOwner | null;
  /** Milliseconds since 1970; `null` where it cannot be read. */
  readonly expiresAt: number | null;
}

/** Filter for the containers of sandboxes. */
export const sandboxLabel = 'talaria=1';
/** Label of images that were made from sandboxes; its name is that of the other, to take its place. */
export const snapshotChange = 'LABEL talaria=snapshot';

const maxTaskLength = 500;

/** Labels for a new container: with them, whoever finds it knows whose it is. */
export function writeLabels(marks: {
  readonly taskId: string;
  readonly owner: SandboxOwner;
  readonly expiresAt: number;
}): Record<string, string> {
  return {
    talaria: '1',
    'talaria.task': marks.taskId.slice(0, maxTaskLength),
    'talaria.owner': JSON.stringify(marks.owner),
    'talaria.expires': String(marks.expiresAt),
  };
}

/** Reads such labels. */
export function readLabels(labels: Readonly<Record<string, string>>): ContainerMarks {
  const owner = parseJson(labels['talaria.owner'] ?? '');
  const expiresAt = Number.parseInt(labels['talaria.expires'] ?? '', 10);
  return {
    taskId: labels['talaria.task'] ?? '',
    owner: owner.ok ? parseOwner(owner.value) : null,
    expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
  };
}
