import { ScriptCursor } from './script-cursor.ts';
import { readExpansion, readShellWord, type SubstitutionReader } from './shell-word.ts';

/** Deepest nesting of substitutions that is looked into. */
const maxDepth = 16;

/** Where output of a command goes, or its input comes from. */
export interface ShellRedirect {
  readonly operator: string;
  readonly target: string;
}

/** One command without its operators: `FOO=1 sudo rm -rf "$HOME"` is five words, the last of them the home mark. */
export interface ShellCommand {
  readonly words: readonly string[];
  readonly redirects: readonly ShellRedirect[];
  /** Text of here-documents and here-strings. */
  readonly input: string;
}

interface OpenCommand {
  words: string[];
  redirects: ShellRedirect[];
  input: string;
}

interface HereDocument {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  readonly command: OpenCommand;
}

/**
 * Splits a script into its commands, those inside `$( )`, backticks, `( )`, `{ }` and process substitutions among them, in
 * the order in which they end. Quotes are resolved as bash does; nothing is expanded. Never throws: what is not closed ends
 * with the script.
 */
export function readShellCommands(script: string, depth = 0): readonly ShellCommand[] {
  return depth > maxDepth ? [] : new ShellReader(script, depth).readAll();
}

/** The command that ends last, whose exit code a script has; not one that is substituted. `undefined` where there is none. */
export function lastShellCommand(script: string): ShellCommand | undefined {
  const reader = new ShellReader(script, 0);
  reader.readAll();
  return reader.last;
}

/** One pass over a script. A class, since its position and its open parts change with every character. */
class ShellReader implements SubstitutionReader {
  readonly #cursor: ScriptCursor;
  readonly #depth: number;
  readonly #commands: ShellCommand[] = [];
  #pendingDocuments: HereDocument[] = [];
  #nesting = 0;
  /** The last that was closed, but for substituted ones. */
  last: ShellCommand | undefined;

  constructor(script: string, depth: number) {
    this.#cursor = new ScriptCursor(script);
    this.#depth = depth;
  }

  readAll(): readonly ShellCommand[] {
    while (!this.#cursor.isAtEnd) {
      this.#readList();
      // A `)` that closes nothing: go on behind it.
      this.#cursor.at += 1;
    }
    return this.#commands;
  }

  /** The commands substituted within text that is not itself a command. */
  readSubstitutions(): readonly ShellCommand[] {
    const cursor = this.#cursor;
    if (this.#depth <= maxDepth) {
      while (!cursor.isAtEnd) {
        if (cursor.peek() === '$' || cursor.peek() === '`') readExpansion(cursor, this);
        else cursor.at += cursor.peek() === '\\' ? 2 : 1;
      }
    }
    return this.#commands;
  }

  readGroup(): void {
    const cursor = this.#cursor;
    cursor.at += 1;
    this.#nesting += 1;
    if (this.#nesting + this.#depth > maxDepth) cursor.at = cursor.script.length;
    else this.#readList();
    this.#nesting -= 1;
    cursor.at += 1;
  }

  readScript(script: string): void {
    this.#addAll(readShellCommands(script, this.#depth + 1));
  }

  readText(text: string): void {
    if (this.#depth < maxDepth) this.#addAll(new ShellReader(text, this.#depth + 1).readSubstitutions());
  }

  /** Reads commands up to the `)` that ends a group, or the end. Stands on that `)` afterwards. */
  #readList(): void {
    const cursor = this.#cursor;
    let command = openCommand();
    while (!cursor.isAtEnd) {
      const character = cursor.peek();
      if (character === ')') break;
      if (character === ' ' || character === '\t' || cursor.startsWith('\\\n')) {
        cursor.at += character === '\\' ? 2 : 1;
      } else if (character === '#') cursor.skipComment();
      else if (character === '(') {
        this.#close(command);
        command = openCommand();
        this.readGroup();
      } else if (this.#isRedirect()) this.#readRedirect(command);
      else if (';&|\n'.includes(character)) {
        this.#close(command);
        command = openCommand();
        cursor.at += 1;
        if (character === '\n') this.#readDocuments();
      } else command.words.push(readShellWord(cursor, this));
    }
    this.#close(command);
  }

  #close(command: OpenCommand): void {
    if (command.words.length + command.redirects.length === 0) return;
    this.#commands.push(command);
    this.last = command;
  }

  #isRedirect(): boolean {
    return /^(?:\d*(?:<|>)|&>)(?!\()/.test(this.#cursor.lookAhead(12));
  }

  #readRedirect(command: OpenCommand): void {
    const cursor = this.#cursor;
    const match = /^\d*(?:&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>\||>&|>)/.exec(cursor.lookAhead(16));
    const operator = (match?.[0] ?? '>').replace(/^\d+/, '');
    cursor.at += match?.[0].length ?? 1;
    cursor.skipBlanks();
    const startedAt = cursor.at;
    const target = readShellWord(cursor, this);
    if (operator === '<<<') command.input += `${target}\n`;
    else if (operator.startsWith('<<')) {
      const isQuoted = /['"\\]/.test(cursor.script.slice(startedAt, cursor.at));
      this.#pendingDocuments.push({ delimiter: target, isQuoted, stripsTabs: operator === '<<-', command });
      // The command may have been closed before the document is read; both are the same object.
    } else command.redirects.push({ operator, target });
  }

  #readDocuments(): void {
    for (const document of this.#pendingDocuments) {
      let body = '';
      while (!this.#cursor.isAtEnd) {
        const line = this.#cursor.readUpTo('\n');
        if ((document.stripsTabs ? line.replace(/^\t+/, '') : line) === document.delimiter) break;
        body += `${line}\n`;
      }
      document.command.input += body;
      if (!document.isQuoted) this.#addAll(new ShellReader(body, this.#depth + 1).readSubstitutions());
    }
    this.#pendingDocuments = [];
  }

  /** One by one: there may be more of them than a call takes arguments. */
  #addAll(commands: readonly ShellCommand[]): void {
    for (const command of commands) this.#commands.push(command);
  }
}

function openCommand(): OpenCommand {
  return { words: [], redirects: [], input: '' };
}
