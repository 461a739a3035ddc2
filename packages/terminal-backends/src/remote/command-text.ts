import { quoteShell } from '@talaria/core';
import { callValuePrefix, execVariable, sandboxVariable, wrapCommand } from '../shell-wrapper.ts';
import type { CommandShell } from './direct-runner.ts';
import { wrapPlainCommand } from './plain-wrapper.ts';

/** What is said of a command besides its text. */
export interface CommandFacts {
  readonly shell: CommandShell;
  readonly sandboxId: string;
  /** Hidden limit that marks what the sandbox starts; `null` for none. */
  readonly limitMark: string | null;
  readonly execId: string;
  /** Folder to start in, absolute. */
  readonly cwd: string;
  /** Whether the caller named it: then it must exist. */
  readonly isNamedCwd: boolean;
  /** Variables for this command only. */
  readonly env: Readonly<Record<string, string>>;
  readonly stateFolder: string;
  /** The state to start from and to save to; `null` for none. */
  readonly loadIndex: number | null;
  readonly saveIndex: number | null;
}

/** A command, ready to be sent. */
export interface CommandText {
  /** For `bash -c`. */
  readonly text: string;
  /** Script that sets the variables of the process. They travel apart, since every process can read a text. */
  readonly variables: string;
  /** The command itself, where it is too long for an argument. */
  readonly file?: string | undefined;
}

/** Linux takes 131,072 bytes for one argument; a longer script goes by a file. */
const maxArgumentBytes = 120_000;

/** Puts a command into what {@link CommandFacts} say. */
export function buildCommandText(command: string, facts: CommandFacts): CommandText {
  const variables = setVariables(facts);
  const text = wrap({ text: command }, facts);
  if (Buffer.byteLength(text) <= maxArgumentBytes) return { text, variables };
  const file = `${facts.stateFolder}/command-${facts.execId}`;
  return { text: wrap({ file }, facts), variables, file: command };
}

function wrap(command: { readonly text: string } | { readonly file: string }, facts: CommandFacts): string {
  const { shell, cwd, execId, sandboxId, limitMark, isNamedCwd, stateFolder, loadIndex, saveIndex, env } = facts;
  if (shell === 'sh') return wrapPlainCommand({ command, cwd });
  const environmentFile = (index: number) => `${stateFolder}/environment-${index}`;
  return wrapCommand({
    command,
    execId,
    sandboxId,
    limitMark,
    cwd,
    missingCwd: isNamedCwd ? 'fail' : 'ancestor',
    loadFrom: loadIndex === null ? null : environmentFile(loadIndex),
    saveTo: saveIndex === null ? null : { environmentFile: environmentFile(saveIndex), endFile: `${stateFolder}/end` },
    callVariables: loadIndex === null ? [] : Object.keys(env),
  });
}

/** The saved state holds everything else; without it, everything is set here. */
function setVariables({ loadIndex, stateFolder, env, execId, sandboxId }: CommandFacts): string {
  const marks = exportLines({ [execVariable]: execId, [sandboxVariable]: sandboxId });
  if (loadIndex === null) return `. ${quoteShell([`${stateFolder}/environment`])}\n${exportLines(env)}${marks}`;
  const carried = Object.values(env).map((value, index) => [`${callValuePrefix}${index}`, value] as const);
  return `${exportLines(Object.fromEntries(carried))}${marks}`;
}

/** Script that sets variables. */
export function exportLines(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoteShell([value])}\n`)
    .join('');
}
