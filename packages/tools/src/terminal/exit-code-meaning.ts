import { lastShellCommand } from '../approval/shell-commands.ts';

const meanings: ReadonlyMap<string, ReadonlyMap<number, string>> = new Map([
  ...['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'].map(
    (name) => [name, new Map([[1, 'No match (not an error)']])] as const,
  ),
  ...['diff', 'colordiff'].map((name) => [name, new Map([[1, 'The files differ (not an error)']])] as const),
  ['find', new Map([[1, 'Some paths could not be read; the output may be partial']])],
  ...['test', '['].map((name) => [name, new Map([[1, 'The condition is false (not an error)']])] as const),
  ['git', new Map([[1, 'Often normal for git, for example when there are differences']])],
  [
    'curl',
    new Map([
      [6, 'The host name could not be resolved'],
      [7, 'No connection to the host'],
      [22, 'The server answered with an HTTP error status'],
      [28, 'The request ran out of time'],
    ]),
  ],
]);

const general: ReadonlyMap<number, string> = new Map([
  [126, 'The file cannot be executed, or the folder is missing'],
  [127, 'The command was not found'],
  [137, 'Killed by SIGKILL, perhaps for using too much memory'],
  [139, 'Crashed by an invalid memory access (SIGSEGV)'],
  [141, 'Stopped because nothing read its output any more (SIGPIPE)'],
]);

/** What an exit code says for the command that set it, the last one of the script; `undefined` where nothing special. */
export function exitCodeMeaning(command: string, exitCode: number): string | undefined {
  if (exitCode === 0) return undefined;
  return meanings.get(lastProgram(command))?.get(exitCode) ?? general.get(exitCode);
}

function lastProgram(command: string): string {
  const words = lastShellCommand(command)?.words ?? [];
  const program = words.find((word) => !/^[A-Za-z_]\w*=/.test(word)) ?? '';
  return program.slice(program.lastIndexOf('/') + 1);
}

const longLived =
  /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)|docker[ -]compose\s+up|next\s+dev|vite|nodemon|uvicorn|gunicorn|python3?\s+-m\s+http\.server)\b/;

/** Whether a command usually runs until it is stopped: a server, a watcher. */
export function isLongLivedCommand(command: string): boolean {
  return longLived.test(command);
}
