/** The element of the page with that id, which must be of that kind. */
export function getElement<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} with the id ${id}.`);
  return element;
}

/** A new element with these children. Strings become text, never markup. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.append(...children);
  return element;
}

/** Puts these names into an empty `select`. */
export function fillSelect(select: HTMLSelectElement, names: readonly string[]): void {
  select.append(...names.map((name) => new Option(name)));
}
