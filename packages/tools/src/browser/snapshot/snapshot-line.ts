/** A line of a snapshot. */
export interface SnapshotLine {
  /** Levels below the top. */
  readonly depth: number;
  /** What the element is; `text` for text alone; `null` for a property such as `/url`. */
  readonly role: string | null;
  /** As written, with its quotes; empty where it has none. */
  readonly name: string;
  /** States such as `[checked]`, its ref left out. */
  readonly states: readonly string[];
  /** `null` where it has none. */
  readonly ref: string | null;
  /** What follows the colon; for a property, all of it. */
  readonly text: string;
  /** Whether lines below belong to it. */
  readonly isParent: boolean;
}

/** Roles of elements that something can be done with. */
const interactiveRoles: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'combobox',
  'gridcell',
  'link',
  'listbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'scrollbar',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'treeitem',
]);

/** Reads one line. Lines that look otherwise are taken as text. */
export function parseSnapshotLine(line: string): SnapshotLine {
  const [, indent = '', rest = ''] = /^( *)(?:- )?(.*)$/s.exec(line) ?? [];
  const depth = Math.floor(indent.length / 2);
  if (rest.startsWith('/')) return { ...textLine(depth, rest), role: null };
  const [matched, role, name = '', brackets = '', colon] =
    /^'?([a-z]+)((?: "(?:[^"\\]|\\.)*")?)((?: \[[^\]]*\])*)'?(:?)(?= |$)/s.exec(rest) ?? [];
  if (matched === undefined || role === undefined) return textLine(depth, rest);
  const states = brackets.match(/\[[^\]]*\]/g) ?? [];
  const text = rest.slice(matched.length).trimStart();
  return {
    depth,
    role,
    name: name.trimStart(),
    states: states.filter((state) => !state.startsWith('[ref=')),
    ref: /\[ref=([^\]]+)\]/.exec(brackets)?.[1] ?? null,
    text,
    isParent: colon === ':' && text === '',
  };
}

function textLine(depth: number, text: string): SnapshotLine {
  return { depth, role: 'text', name: '', states: [], ref: null, text, isParent: false };
}

/** Whether something can be done with the element. */
export function isInteractive({ role, states, ref }: SnapshotLine): boolean {
  if (ref === null || role === null) return false;
  return interactiveRoles.has(role) || states.includes('[cursor=pointer]');
}
