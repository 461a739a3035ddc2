import { quoteShell } from '@talaria/core';

/** Variable that marks every process of one command. */
export const execVariable = 'TALARIA_EXEC_ID';
/** Variable that marks every process of one sandbox. */
export const sandboxVariable = 'TALARIA_SANDBOX_ID';
/** Start of the names under which variables of one call travel, in the order of {@link ShellCall.callVariables}. */
export const callValuePrefix = 'TALARIA_CALL_VALUE_';

/** One command, as it is given to `bash --noprofile --norc -c`. */
export interface ShellCall {
  readonly command: ShellCommand;
  readonly execId: string;
  readonly sandboxId: string;
  /** Limit on real-time work that marks what the command starts; `null` for none. */
  readonly limitMark: string | null;
  /** Folder to start in, absolute. */
  readonly cwd: string;
  /** What to do when that folder is gone: fail with 126, or go on in the nearest folder above it that exists. */
  readonly missingCwd: 'fail' | 'ancestor';
  /** File with the saved state to start from; `null` starts from the environment of the process. */
  readonly loadFrom: string | null;
  /** Where to save the state afterwards; `null` does not. */
  readonly saveTo: SavePlace | null;
  /** Names of the variables that are set for this call only. */
  readonly callVariables: readonly string[];
}

/** The script: as text, or in a file where it is too long for an argument. */
export type ShellCommand = { readonly text: string } | { readonly file: string };

/** Files that hold the state after a call. */
export interface SavePlace {
  /** Gets the exported variables, file mode mask, functions and aliases, as a script. */
  readonly environmentFile: string;
  /** Gets the call's id, NUL, and the working folder, written last: whoever finds the id knows the rest is whole. */
  readonly endFile: string;
}

/**
 * Builds the text around a command (spec/terminal-backends.md 2.2). It is one line, so that bash numbers the lines of
 * the command as its author does; it starts no process; the command itself is an `eval` of a literal, so that nothing
 * in it can reach the wrapper. `\builtin` keeps aliases and functions of earlier commands out of the wrapper.
 */
export function wrapCommand(call: ShellCall): string {
  const parts = [
    // An older bash knows no such limit, and some systems allow none.
    call.limitMark === null ? '' : `\\builtin ulimit -S -R ${quoteShell([call.limitMark])} 2>/dev/null`,
    call.loadFrom === null ? '' : loadState(quoteShell([call.loadFrom])),
    '\\builtin shopt -s expand_aliases',
    // After the saved state, whose file a program may have written.
    `\\builtin export ${execVariable}=${quoteShell([call.execId])} ${sandboxVariable}=${quoteShell([call.sandboxId])}`,
    enterFolder(call),
    ...call.callVariables.map(setForCall),
    call.saveTo === null ? '' : `\\builtin trap ${quoteShell([saveState(call, call.saveTo)])} EXIT`,
    evaluate(call.command),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** Only from a regular file: a pipe that a program has put there would never end. */
function loadState(file: string): string {
  return `[[ ! -f ${file} ]] || \\builtin . ${file} >/dev/null 2>&1`;
}

/** Enters the folder and leaves `OLDPWD` as the last command did, so that `cd -` works across calls. */
function enterFolder(call: ShellCall): string {
  const folder = quoteShell([call.cwd]);
  const otherwise =
    call.missingCwd === 'fail'
      ? `{ \\builtin printf 'talaria: cannot enter the folder %s: it does not exist or may not be entered\\n' ${folder}; \\builtin exit 126; }`
      : `{ until \\builtin cd -P -- "\${__talaria_cwd:-/}" 2>/dev/null || [[ -z $__talaria_cwd ]]; do __talaria_cwd=\${__talaria_cwd%/*}; done; ` +
        `\\builtin printf 'talaria: the working folder %s is gone; going on in %s\\n' ${folder} "$PWD"; }`;
  return (
    `__talaria_old=\${OLDPWD:-} __talaria_cwd=${folder}; \\builtin cd -P -- ${folder} 2>/dev/null || ${otherwise}; ` +
    `OLDPWD=\${__talaria_old:-$PWD}; \\builtin unset -v __talaria_old __talaria_cwd`
  );
}

/** The value comes by the environment, not by the text; what the variable was before is noted, to be put back. */
function setForCall(name: string, index: number): string {
  const carrier = `${callValuePrefix}${index}`;
  return (
    `[[ -z \${${name}+x} ]] || \\builtin printf -v __talaria_restore '%s\\\\builtin export ${name}=%q;' "\${__talaria_restore-}" "$${name}"; ` +
    `{ \\builtin export ${name}="$${carrier}"; } 2>/dev/null; \\builtin unset -v ${carrier}`
  );
}

/**
 * Variables that are set anew for every call. They are not saved, since a command may have made them `readonly`, and an
 * assignment to such a one would end the whole line of the next wrapper.
 */
const ownVariables = `PWD OLDPWD ${execVariable} ${sandboxVariable} __talaria_cwd __talaria_old __talaria_restore __talaria_posix`;

/** Lines of the saved state around the functions: in POSIX mode bash gives up at the name of one such as `my-function`. */
const leavePosixMode = `[[ -z \${POSIXLY_CORRECT+x} ]] || __talaria_posix=$POSIXLY_CORRECT; \\builtin set +o posix`;
const returnToPosixMode = `[[ -z \${__talaria_posix+x} ]] || \\builtin export POSIXLY_CORRECT="$__talaria_posix"; \\builtin unset -v __talaria_posix`;

/**
 * Runs in the EXIT trap, whatever the command has set: silent under `-x`, going on under `-e`, without its other traps
 * and a function named `builtin`, and not killed by a limit on the size of files.
 */
function saveState(call: ShellCall, place: SavePlace): string {
  const restore =
    call.callVariables.length === 0
      ? ''
      : `\\builtin unset -v ${call.callVariables.join(' ')}; \\builtin eval "\${__talaria_restore-}"; `;
  const environmentFile = quoteShell([place.environmentFile]);
  const endFile = quoteShell([place.endFile]);
  const sections = [
    '\\builtin export -p',
    `\\builtin printf 'OLDPWD=%q\\n' "\${OLDPWD-}"`,
    '\\builtin umask -p',
    printLine(leavePosixMode),
    '\\builtin declare -f',
    '\\builtin declare -F',
    '\\builtin alias -p',
    printLine(returnToPosixMode),
  ];
  return (
    `{ \\unset -f builtin; \\builtin trap - DEBUG RETURN ERR; \\builtin trap '' XFSZ; \\builtin export -n ${ownVariables}; ${restore}` +
    `${mayWrite(environmentFile)} && ${mayWrite(endFile)} && { ${sections.join(' && ')}; } >|${environmentFile} && ` +
    `{ \\builtin printf '%s\\0' ${quoteShell([call.execId])} && { \\builtin pwd -P || \\builtin printf '%s\\n' "$PWD"; }; } ` +
    `>|${endFile} || \\builtin :; } >/dev/null 2>&1`
  );
}

function printLine(line: string): string {
  return `\\builtin printf '%s\\n' ${quoteShell([line])}`;
}

/** Opening a pipe that a program has put there would wait for somebody to read from it. */
function mayWrite(file: string): string {
  return `[[ ! -e ${file} || -f ${file} ]]`;
}

function evaluate(command: ShellCommand): string {
  if ('text' in command) return `\\builtin eval ${quoteAlways(command.text)}`;
  return `IFS= \\builtin read -r -d '' __talaria_command <${quoteShell([command.file])}; \\builtin eval "$__talaria_command"`;
}

/** `eval` takes options: a text that starts with `-` must not be one. */
function quoteAlways(text: string): string {
  return `-- ${quoteShell([text])}`;
}
