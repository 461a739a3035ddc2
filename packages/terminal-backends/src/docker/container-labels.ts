import {
  type MarkSpelling,
  type NewSandboxMarks,
  readMarks,
  type SandboxMarks,
  writeMarks,
} from '../ledger/sandbox-marks.ts';

/** Filter for the containers of sandboxes. */
export const sandboxLabel = 'talaria=1';
/** Label of images that were made from sandboxes; its name is that of the other, to take its place. */
export const snapshotChange = 'LABEL talaria=snapshot';

const spelling: MarkSpelling = { separator: '.', maxTaskLength: 500 };

/** Labels for a new container: with them, whoever finds it knows whose it is. */
export function writeLabels(marks: NewSandboxMarks): Record<string, string> {
  return writeMarks(marks, spelling);
}

/** Reads such labels. */
export function readLabels(labels: Readonly<Record<string, string>>): SandboxMarks {
  return readMarks(labels, spelling);
}
