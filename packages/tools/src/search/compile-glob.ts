import { type CharacterTest, type GlobToken, isInsidePart, readGlobTokens } from './glob-tokens.ts';

/**
 * Reads a glob as `rg` does: `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `**` as a whole part of the path, and a backslash before
 * what is meant literally; all else, brackets of other kinds too, stands for itself. Hidden names are names like others.
 * The test takes time in proportion to the glob times the path. A regular expression could take for ever, and the glob
 * comes from a model.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const compiler = new GlobCompiler(readGlobTokens(glob));
  return (path) => path !== '' && fitsNodes(compiler.nodes, compiler.start, path);
}

/** A state of the test: the end, one character that leads to another state, or several states at once. */
type GlobNode =
  | { readonly kind: 'end' }
  | { readonly kind: 'one'; readonly fits: CharacterTest; readonly next: number }
  | { readonly kind: 'split'; readonly others: number[] };

/** What stars stand for: something within a part, whole parts with the slash behind them, or all that is left. */
type StarsKind = 'name' | 'parts' | 'rest';

const isAny: CharacterTest = () => true;

/** Builds the states from the last to the first. A class, since all of its parts add to the same list. */
class GlobCompiler {
  readonly nodes: GlobNode[] = [];
  readonly start: number;
  readonly #tokens: readonly GlobToken[];
  /** Of each mark of a choice, the index of the next one. */
  readonly #nextMarks: ReadonlyMap<number, number>;

  constructor(tokens: readonly GlobToken[]) {
    this.#tokens = tokens;
    this.#nextMarks = linkMarks(tokens);
    this.start = this.#addSequence(0, tokens.length, this.#add({ kind: 'end' }));
  }

  #add(node: GlobNode): number {
    return this.nodes.push(node) - 1;
  }

  /** Adds the tokens of `[from, to)`, the whole glob or one of a choice, behind which the state `next` comes. */
  #addSequence(from: number, to: number, next: number): number {
    const pieces: { readonly at: number; readonly stars: StarsKind }[] = [];
    for (let at = from; at < to; ) {
      const stars = this.#starsKind(at, from, to);
      pieces.push({ at, stars });
      at = stars === 'parts' ? at + 2 : this.#lastMark(at) + 1;
    }
    return pieces.reduceRight((state, { at, stars }) => this.#addPiece(at, stars, state), next);
  }

  /**
   * What stars at `at` stand for. The borders of a choice count as those of parts, as they do for `rg`: in `{a/**,b}/c`
   * the stars fit `a/x/y/c`.
   */
  #starsKind(at: number, from: number, to: number): StarsKind {
    const isStart = at === from || this.#isSlash(at - 1);
    if (!isStart || !this.#isStars(at, 2)) return 'name';
    if (at + 1 === to) return 'rest';
    return this.#isSlash(at + 1) ? 'parts' : 'name';
  }

  /** The mark that closes the choice that begins at `at`; `at` where none does. */
  #lastMark(at: number): number {
    let last = at;
    for (let mark = this.#nextMarks.get(at); mark !== undefined; mark = this.#nextMarks.get(mark)) last = mark;
    return last;
  }

  #addPiece(at: number, stars: StarsKind, next: number): number {
    const token = this.#tokens[at];
    if (this.#nextMarks.has(at)) return this.#addChoice(at, next);
    if (token?.kind === 'one') return this.#add({ kind: 'one', fits: token.fits, next });
    if (token?.kind === 'stars') {
      return stars === 'parts' ? this.#addParts(next) : this.#addLoop(stars === 'rest' ? isAny : isInsidePart, next);
    }
    return this.#add({ kind: 'one', fits: (character) => character === token?.character, next });
  }

  #addChoice(from: number, next: number): number {
    const others: number[] = [];
    let start = from;
    for (let mark = this.#nextMarks.get(from); mark !== undefined; mark = this.#nextMarks.get(mark)) {
      others.push(this.#addSequence(start + 1, mark, next));
      start = mark;
    }
    return this.#add({ kind: 'split', others });
  }

  /** Any number of characters. */
  #addLoop(fits: CharacterTest, next: number): number {
    const others = [next];
    const loop = this.#add({ kind: 'split', others });
    others.push(this.#add({ kind: 'one', fits, next: loop }));
    return loop;
  }

  /** Any number of whole parts, each with the slash behind it. */
  #addParts(next: number): number {
    const slash = this.#add({ kind: 'one', fits: (character) => character === '/', next });
    const first = this.#add({ kind: 'one', fits: isAny, next: this.#addLoop(isAny, slash) });
    return this.#add({ kind: 'split', others: [next, first] });
  }

  #isStars(at: number, least: number): boolean {
    const token = this.#tokens[at];
    return token?.kind === 'stars' && token.count >= least;
  }

  #isSlash(at: number): boolean {
    const token = this.#tokens[at];
    return token?.kind === 'literal' && token.character === '/';
  }
}

/** Links `{` to the `,` and `}` that belong to it. Marks without a partner are left out. */
function linkMarks(tokens: readonly GlobToken[]): ReadonlyMap<number, number> {
  const links = new Map<number, number>();
  const open: number[][] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'mark') continue;
    if (token.character === '{') open.push([at]);
    else if (token.character === ',') open.at(-1)?.push(at);
    else {
      const marks = [...(open.pop() ?? []), at];
      for (const [index, mark] of marks.slice(0, -1).entries()) links.set(mark, marks[index + 1] ?? at);
    }
  }
  return links;
}

/** Follows all states at once, character by character. */
function fitsNodes(nodes: readonly GlobNode[], start: number, path: string): boolean {
  let states = reach(nodes, [start]);
  for (const character of path) {
    const next: number[] = [];
    for (const state of states) {
      const node = nodes[state];
      if (node?.kind === 'one' && node.fits(character)) next.push(node.next);
    }
    if (next.length === 0) return false;
    states = reach(nodes, next);
  }
  return [...states].some((state) => nodes[state]?.kind === 'end');
}

/** The states, and those that they stand for. */
function reach(nodes: readonly GlobNode[], from: number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  const pending = from;
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    if (reached.has(state)) continue;
    reached.add(state);
    const node = nodes[state];
    if (node?.kind === 'split') pending.push(...node.others);
  }
  return reached;
}
