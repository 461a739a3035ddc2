import {
  type MarkSpelling,
  type NewSandboxMarks,
  readMarks,
  type SandboxMarks,
  writeMarks,
} from '../ledger/sandbox-marks.ts';

/** Labels that every sandbox of Talaria bears. */
export const sandboxLabels: Readonly<Record<string, string>> = { talaria: '1' };

const spelling: MarkSpelling = { separator: '-', maxTaskLength: 200 };

/** Labels for a new sandbox: with them, whoever finds it knows whose it is. */
export function writeLabels(marks: NewSandboxMarks): Record<string, string> {
  return writeMarks(marks, spelling);
}

/** Reads such labels. */
export function readLabels(labels: Readonly<Record<string, string>>): SandboxMarks {
  return readMarks(labels, spelling);
}
