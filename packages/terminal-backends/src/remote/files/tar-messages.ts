import { skipReasons } from '../../host-files/plan-tree.ts';

/** What tar said beside the archive. */
export interface TarMessages {
  /** What it left out, by path in the tree. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Files that became shorter while they were read, and how many zeros stand for what is missing at their ends. */
  readonly shortened: readonly { readonly path: string; readonly bytes: number }[];
  /** What is no matter of course: the reason of a failure, if it failed. */
  readonly rest: string;
}

const removed =
  /^tar: (.*?)(?:: File removed before we read it|: Cannot (?:stat|open|readlink|savedir): No such file or directory)$/s;
/** BusyBox tells of what is gone, and of sockets, in words of its own. */
const removedInBusyBox = /^tar: (?:can't open '(.*)'|(.*)): No such file or directory$/s;
const irregular = /^tar: (.*?)(?:: socket ignored|: Unknown file type; file ignored|: unknown file type)$/s;
const shrank = /^tar: (.*): File shrank by (\d+) bytes?; padding with zeros$/s;
/** Changes of what is being read, and what follows from the other messages. */
const harmless =
  /^tar: (?:.*: file changed as we read it|Exiting with failure status due to previous errors|error exit delayed from previous errors)$/s;

/** Reads what GNU or BusyBox tar writes to standard error while it makes an archive of `.`; bytes as Latin-1. */
export function readTarMessages(text: string): TarMessages {
  const skipped: { path: string; reason: string }[] = [];
  const shortened: { path: string; bytes: number }[] = [];
  const rest: string[] = [];
  // A name with a line break is written as it is by BusyBox; every message starts anew with the name of the program.
  for (const message of text.split(/\n(?=tar: )/)) {
    const line = message.trimEnd();
    const gone = removed.exec(line) ?? removedInBusyBox.exec(line);
    const special = irregular.exec(line);
    const shorter = shrank.exec(line);
    if (gone !== null) skipped.push({ path: pathOf(gone[1] ?? gone[2] ?? ''), reason: skipReasons.removed });
    else if (special !== null) skipped.push({ path: pathOf(special[1] ?? ''), reason: skipReasons.irregular });
    else if (shorter !== null) shortened.push({ path: pathOf(shorter[1] ?? ''), bytes: Number(shorter[2]) });
    else if (line !== '' && !harmless.test(line)) rest.push(line);
  }
  return { skipped, shortened, rest: rest.join('\n') };
}

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Takes GNU tar's escapes back, and the `./` of every name off. */
function pathOf(quoted: string): string {
  const bytes = quoted.replaceAll(/\\(?:([0-7]{3})|(.))/g, (_escape, octal: string | undefined, letter: string) =>
    octal === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString().replace(/^\.\//, '');
}
