/** Stands in a word for the home folder: `~`, `$HOME`. A character that no command holds. */
export const homeMark = '\u0001';
/** Stands in a word for what only the shell knows: other variables, the output of commands. */
const unknownMark = '\u0002';

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

/** One pass over a script. A class, since its position and its open parts change with every character. */
class ShellReader {
  readonly #script: string;
  readonly #depth: number;
  readonly #commands: ShellCommand[] = [];
  #pendingDocuments: HereDocument[] = [];
  #nesting = 0;
  #at = 0;

  constructor(script: string, depth: number) {
    this.#script = script;
    this.#depth = depth;
  }

  readAll(): readonly ShellCommand[] {
    while (this.#at < this.#script.length) {
      this.#readList();
      // A `)` that closes nothing: go on behind it.
      this.#at += 1;
    }
    return this.#commands;
  }

  /** Reads commands up to the `)` that ends a group, or the end. Stands on that `)` afterwards. */
  #readList(): void {
    let command = openCommand();
    while (this.#at < this.#script.length) {
      const character = this.#peek();
      if (character === ')') break;
      if (character === ' ' || character === '\t' || this.#script.startsWith('\\\n', this.#at)) {
        this.#at += character === '\\' ? 2 : 1;
      } else if (character === '#') this.#skipComment();
      else if (character === '(') {
        this.#close(command);
        command = openCommand();
        this.#readGroup();
      } else if (this.#isRedirect()) this.#readRedirect(command);
      else if (';&|\n'.includes(character)) {
        this.#close(command);
        command = openCommand();
        this.#at += 1;
        if (character === '\n') this.#readDocuments();
      } else command.words.push(this.#readWord());
    }
    this.#close(command);
  }

  #readGroup(): void {
    this.#at += 1;
    this.#nesting += 1;
    if (this.#nesting + this.#depth > maxDepth) this.#at = this.#script.length;
    else this.#readList();
    this.#nesting -= 1;
    this.#at += 1;
  }

  #close(command: OpenCommand): void {
    if (command.words.length + command.redirects.length > 0) this.#commands.push(command);
  }

  #isRedirect(): boolean {
    const rest = this.#script.slice(this.#at, this.#at + 12);
    return /^(?:\d*(?:<|>)|&>)(?!\()/.test(rest);
  }

  #readRedirect(command: OpenCommand): void {
    const match = /^\d*(?:&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>\||>&|>)/.exec(this.#script.slice(this.#at, this.#at + 16));
    const operator = (match?.[0] ?? '>').replace(/^\d+/, '');
    this.#at += match?.[0].length ?? 1;
    this.#skipBlanks();
    const startedAt = this.#at;
    const target = this.#readWord();
    if (operator === '<<<') command.input += `${target}\n`;
    else if (operator.startsWith('<<')) {
      const isQuoted = /['"\\]/.test(this.#script.slice(startedAt, this.#at));
      this.#pendingDocuments.push({ delimiter: target, isQuoted, stripsTabs: operator === '<<-', command });
      // The command may have been closed before the document is read; both are the same object.
    } else command.redirects.push({ operator, target });
  }

  #readDocuments(): void {
    for (const document of this.#pendingDocuments) {
      let body = '';
      while (this.#at < this.#script.length) {
        const line = this.#readLine();
        if ((document.stripsTabs ? line.replace(/^\t+/, '') : line) === document.delimiter) break;
        body += `${line}\n`;
      }
      document.command.input += body;
      if (!document.isQuoted) this.#addAll(new ShellReader(body, this.#depth + 1).readSubstitutions());
    }
    this.#pendingDocuments = [];
  }

  /** The commands substituted within text that is not itself a command. */
  readSubstitutions(): readonly ShellCommand[] {
    if (this.#depth <= maxDepth) {
      while (this.#at < this.#script.length) {
        if (this.#peek() === '$' || this.#peek() === '`') this.#readExpansion();
        else this.#at += this.#peek() === '\\' ? 2 : 1;
      }
    }
    return this.#commands;
  }

  #readWord(): string {
    let word = '';
    const startedAt = this.#at;
    while (this.#at < this.#script.length) {
      const character = this.#peek();
      const isProcess = (character === '<' || character === '>') && this.#script[this.#at + 1] === '(';
      if (isProcess && this.#at === startedAt) {
        this.#at += 1;
        this.#readGroup();
        return unknownMark;
      }
      if (' \t\n;&|()<>'.includes(character)) break;
      word += this.#readPiece(character, this.#at === startedAt);
    }
    // Whatever stands here cannot be part of a word: step over it rather than stand still.
    if (this.#at === startedAt) this.#at += 1;
    return word;
  }

  #readPiece(character: string, isFirst: boolean): string {
    if (character === "'") return this.#readSingleQuoted();
    if (character === '"') return this.#readDoubleQuoted();
    if (character === '$' || character === '`') return this.#readExpansion();
    if (character === '\\') {
      const escaped = this.#script[this.#at + 1] ?? '';
      this.#at += 2;
      return escaped === '\n' ? '' : escaped;
    }
    if (character === '~' && isFirst) {
      const user = /^~[A-Za-z0-9._-]*(?=[/\s;&|()<>]|$)/.exec(this.#script.slice(this.#at, this.#at + 64));
      if (user !== null) {
        this.#at += user[0].length;
        return homeMark;
      }
    }
    this.#at += 1;
    return character;
  }

  #readSingleQuoted(): string {
    const end = this.#script.indexOf("'", this.#at + 1);
    const text = this.#script.slice(this.#at + 1, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#script.length : end + 1;
    return text;
  }

  #readDoubleQuoted(): string {
    let text = '';
    this.#at += 1;
    while (this.#at < this.#script.length) {
      const character = this.#peek();
      if (character === '"') break;
      if (character === '\\') {
        const escaped = this.#script[this.#at + 1] ?? '';
        text += '$`"\\'.includes(escaped) ? escaped : escaped === '\n' ? '' : `\\${escaped}`;
        this.#at += 2;
      } else if (character === '$' || character === '`') text += this.#readExpansion();
      else {
        text += character;
        this.#at += 1;
      }
    }
    this.#at += 1;
    return text;
  }

  #readExpansion(): string {
    if (this.#peek() === '`') return this.#readBackticks();
    const next = this.#script[this.#at + 1] ?? '';
    if (next === "'") return this.#readEscapedQuote();
    if (next === '(') {
      this.#at += 1;
      this.#readGroup();
      return unknownMark;
    }
    if (next === '{') return this.#readBraces();
    const name = /^(?:[A-Za-z_]\w*|[0-9?$!#@*-])/.exec(this.#script.slice(this.#at + 1, this.#at + 130))?.[0];
    this.#at += 1 + (name?.length ?? 0);
    if (name === undefined) return '$';
    return name === 'HOME' ? homeMark : unknownMark;
  }

  #readBackticks(): string {
    let inner = '';
    this.#at += 1;
    while (this.#at < this.#script.length && this.#peek() !== '`') {
      if (this.#peek() === '\\') this.#at += 1;
      inner += this.#script[this.#at] ?? '';
      this.#at += 1;
    }
    this.#at += 1;
    this.#addAll(readShellCommands(inner, this.#depth + 1));
    return unknownMark;
  }

  /** `${NAME}`, and whatever is substituted within its default value. */
  #readBraces(): string {
    const end = this.#script.indexOf('}', this.#at);
    const inner = this.#script.slice(this.#at + 2, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#script.length : end + 1;
    if (this.#depth < maxDepth) this.#addAll(new ShellReader(inner, this.#depth + 1).readSubstitutions());
    return /^HOME(?!\w)/.test(inner) ? homeMark : unknownMark;
  }

  /** `$'…'`, where a slash may be written as `\x2f`. */
  #readEscapedQuote(): string {
    const match = /\$'((?:[^'\\]|\\[\s\S])*)'?/y;
    match.lastIndex = this.#at;
    const found = match.exec(this.#script);
    this.#at += found?.[0].length ?? 2;
    return (found?.[1] ?? '').replaceAll(/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g, decodeEscape);
  }

  /** One by one: there may be more of them than a call takes arguments. */
  #addAll(commands: readonly ShellCommand[]): void {
    for (const command of commands) this.#commands.push(command);
  }

  #skipComment(): void {
    const end = this.#script.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#script.length : end;
  }

  #skipBlanks(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at += 1;
  }

  #readLine(): string {
    const end = this.#script.indexOf('\n', this.#at);
    const line = this.#script.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#script.length : end + 1;
    return line;
  }

  #peek(): string {
    return this.#script[this.#at] ?? '';
  }
}

function openCommand(): OpenCommand {
  return { words: [], redirects: [], input: '' };
}

const namedEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

function decodeEscape(_match: string, hex?: string, octal?: string, letter?: string): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
  return namedEscapes.get(letter ?? '') ?? letter ?? '';
}
