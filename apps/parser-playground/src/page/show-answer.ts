import type { AnswerResult, ParsedToolCall, ParseError } from '@talaria/tool-call-parsers';
import { clipText } from './clip-text.ts';
import { createElement } from './elements.ts';
import { prettyJson } from './pretty-json.ts';

/** Longest piece of text that is laid out, and most calls and errors: a hostile text has a million of them. */
const maxChars = 20_000;
const maxItems = 50;

/** Text around the place of an error, and of the place itself, in characters. */
const contextChars = 60;
const maxMarkedChars = 600;

/** Where an answer is shown, and how a person gets from an error to its place. */
export interface AnswerPlace {
  readonly target: HTMLElement;
  readonly select: (start: number, end: number) => void;
}

/** Shows what was read in a text. */
export function showAnswer(answer: AnswerResult, text: string, { target, select }: AnswerPlace): void {
  const { reasoning, content, toolCalls, errors } = answer;
  target.replaceChildren(
    ...(reasoning === null ? [] : titled('Reasoning', showText(reasoning, 'reasoning'))),
    ...titled('Content', content === null ? createElement('p', 'None.') : showText(content, 'content')),
    ...titled(`Calls: ${toolCalls.length}`, ...showFirst(toolCalls, showCall)),
    ...titled(`Errors: ${errors.length}`, ...showFirst(errors, (error) => showError(error, text, select))),
  );
}

function titled(title: string, ...parts: readonly HTMLElement[]): readonly HTMLElement[] {
  return [createElement('h3', title), ...parts];
}

function showFirst<Item>(items: readonly Item[], show: (item: Item) => HTMLElement): readonly HTMLElement[] {
  const shown = items.slice(0, maxItems).map(show);
  return items.length > maxItems ? [...shown, createElement('p', `… and ${items.length - maxItems} more.`)] : shown;
}

function showText(text: string, id: string): HTMLElement {
  const element = preformatted(clipText(text, maxChars));
  element.id = id;
  return element;
}

/** Text with its spaces. It can be reached by keyboard, since it may be too long to be seen without scrolling. */
function preformatted(...children: readonly (Node | string)[]): HTMLElement {
  const element = createElement('pre', ...children);
  element.tabIndex = 0;
  return element;
}

function showCall({ id, name, arguments: json }: ParsedToolCall): HTMLElement {
  const laidOut = json.length > maxChars ? clipText(json, maxChars) : prettyJson(json);
  const title = createElement('strong', clipText(name, contextChars));
  return createElement('article', title, ` ${clipText(id, contextChars)}`, preformatted(laidOut));
}

function showError(
  { kind, start, end, message }: ParseError,
  text: string,
  select: AnswerPlace['select'],
): HTMLElement {
  const button = createElement('button', 'Select in the text');
  button.type = 'button';
  button.addEventListener('click', () => select(start, end));
  const excerpt = preformatted(
    text.slice(Math.max(0, start - contextChars), start),
    createElement('mark', clipText(text.slice(start, end), maxMarkedChars)),
    text.slice(end, end + contextChars),
  );
  const head = createElement('p', createElement('strong', kind), ` at ${start} to ${end}: ${message} `, button);
  return createElement('article', head, excerpt);
}
