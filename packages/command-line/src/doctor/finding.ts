/** What `doctor` found out about one thing. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'missing' | 'broken';
  /** Whether nothing runs without it. */
  readonly isRequired: boolean;
  /** A version, a path, or what is wrong. */
  readonly detail: string;
  /** What it is good for, or how to get it where it is missing. */
  readonly hint: string | null;
}

/** Whether a finding keeps Talaria from running. */
export function isBlocking(finding: Finding): boolean {
  return finding.isRequired && finding.status !== 'ok';
}
