import { mapConcurrent, truncateText } from '@talaria/core';
import type { Host } from '../host.ts';
import type { Finding } from './finding.ts';

/** A program that Talaria, or a task, makes use of. */
interface ProgramProbe {
  readonly name: string;
  readonly words: readonly [string, ...string[]];
  readonly isRequired: boolean;
  /** What it is good for. */
  readonly purpose: string;
  /** How to get it. */
  readonly install: string;
}

const probes: readonly ProgramProbe[] = [
  {
    name: 'bash',
    words: ['bash', '--version'],
    isRequired: true,
    purpose: 'runs the commands of local sandboxes',
    install: 'apt-get install bash, or brew install bash',
  },
  {
    name: 'grep',
    words: ['grep', '--version'],
    isRequired: false,
    purpose: 'search_files, where rg is missing',
    install: 'apt-get install grep',
  },
  {
    name: 'rg',
    words: ['rg', '--version'],
    isRequired: false,
    purpose: 'fast search_files',
    install: 'apt-get install ripgrep, or brew install ripgrep; grep is used until then',
  },
  {
    name: 'git',
    words: ['git', '--version'],
    isRequired: false,
    purpose: 'tasks on repositories',
    install: 'apt-get install git, or brew install git',
  },
  {
    name: 'python3',
    words: ['python3', '--version'],
    isRequired: false,
    purpose: 'tasks in Python, and the syntax check after an edit',
    install: 'apt-get install python3, or brew install python',
  },
];

/** Longest time that a program may take to tell its version. */
const probeTimeoutMs = 5_000;

/** Asks each program for its version, as the user's PATH finds it. */
export async function probePrograms(host: Host): Promise<readonly Finding[]> {
  return mapConcurrent(probes, probes.length, (probe) => probeProgram(host, probe));
}

async function probeProgram(host: Host, probe: ProgramProbe): Promise<Finding> {
  const { name, isRequired, purpose, install } = probe;
  const answer = await askProgramVersion(host, probe.words);
  switch (answer.kind) {
    case 'absent':
      return { name, status: 'missing', isRequired, detail: purpose, hint: install };
    case 'failed':
      return { name, status: 'broken', isRequired, detail: answer.reason, hint: install };
    case 'version':
      return { name, status: 'ok', isRequired, detail: answer.version, hint: purpose };
  }
}

/** What became of asking a program for its version. */
export type ProgramAnswer =
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'version'; readonly version: string };

/** Runs a program that is to tell its version, as the user's PATH finds it. */
export async function askProgramVersion(host: Host, words: readonly [string, ...string[]]): Promise<ProgramAnswer> {
  const [file, ...args] = words;
  const { execa } = await import('execa');
  const result = await execa(file, args, {
    env: host.variables,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: probeTimeoutMs,
    forceKillAfterDelay: 500,
  });
  if (result.code === 'ENOENT') return { kind: 'absent' };
  const said = firstLine(result.stdout) || firstLine(result.stderr);
  if (!result.failed) return { kind: 'version', version: versionIn(said) };
  const reason = result.timedOut ? `no answer within ${probeTimeoutMs} ms` : said || `exit code ${result.exitCode}`;
  return { kind: 'failed', reason };
}

function firstLine(text: string): string {
  return truncateText(text.trim().split('\n', 1)[0] ?? '', 120);
}

function versionIn(line: string): string {
  return /\d+(\.\d+)+[\w.-]*/.exec(line)?.[0] ?? line;
}
