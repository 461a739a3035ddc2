import type { ParseError } from '@talaria/tool-call-parsers';
import type { Paint } from '../paint.ts';
import { type Excerpt, renderExcerpt } from './error-excerpt.ts';
import { createPositionFinder, type TextPosition } from './text-position.ts';
import { visibleLine } from './visible-text.ts';

/** Most errors that are shown one by one; a text of nothing but markers has millions. */
export const maxShownErrors = 20;

/** Options of {@link renderErrors}. */
export interface ErrorRenderOptions {
  /** Width of the terminal. */
  readonly columns: number;
  readonly paint: Paint;
}

/** Errors for people, in the order of the text: what it is, where, and the line with marks below the place. */
export function renderErrors(text: string, errors: readonly ParseError[], options: ErrorRenderOptions): string {
  const find = createPositionFinder(text);
  return byPlace(errors)
    .slice(0, maxShownErrors)
    .map((error) => {
      const last = Math.max(error.start, error.end - 1);
      return renderError({ text, error, start: find(error.start), last: find(last) }, options);
    })
    .join('');
}

/** An error with its place in the text. */
export interface PlacedError extends ParseError, TextPosition {}

/** Adds to each error where it starts; in the order of the text. */
export function* placeErrors(text: string, errors: readonly ParseError[]): Generator<PlacedError, void, undefined> {
  const find = createPositionFinder(text);
  for (const error of byPlace(errors)) yield { ...error, ...find(error.start) };
}

function byPlace(errors: readonly ParseError[]): readonly ParseError[] {
  return errors.toSorted((first, second) => first.start - second.start);
}

interface ErrorPlace {
  readonly text: string;
  readonly error: ParseError;
  readonly start: TextPosition;
  /** Of the last character that belongs to it. */
  readonly last: TextPosition;
}

function renderError({ text, error, start, last }: ErrorPlace, { columns, paint }: ErrorRenderOptions): string {
  const gutterWidth = `  ${last.line} `.length;
  // The last column stays free: some terminals begin a new line as soon as it is written.
  const width = columns - gutterWidth - 3;
  const first = renderExcerpt(text, error, { at: 'start', columns: width });
  const reach = last.line === start.line ? '' : ` to ${last.line}:${last.column}`;
  const lines = [
    `${paint.bad('error')}: ${error.kind} at ${start.line}:${start.column}${reach}: ${visibleLine(error.message)}`,
    ...renderLines(first, start.line),
    ...(first.isWhole ? [] : renderLines(renderExcerpt(text, error, { at: 'end', columns: width }), last.line)),
  ];
  return `${lines.join('\n')}\n`;

  function renderLines(excerpt: Excerpt, line: number): readonly string[] {
    const gutter = (label: string): string => paint.faint(`${label.padStart(gutterWidth - 1)} |`);
    return [`${gutter(String(line))} ${excerpt.line}`, `${gutter('')} ${paint.bad(excerpt.marks)}`];
  }
}
