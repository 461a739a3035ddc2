import { BrowserError } from '../browser-error.ts';

/**
 * The ref that a model wrote, with or without `@`, quotes around it or `ref=` before it.
 *
 * @throws BrowserError `invalid_args` where it cannot be one
 */
export function parseRef(text: string): string {
  const [, ref] = /^\s*["'[]?(?:@|ref=)?((?:f\d{1,6})?e\d{1,9})["'\]]?\s*$/i.exec(text) ?? [];
  if (ref !== undefined) return ref.toLowerCase();
  throw new BrowserError('invalid_args', 'ref must look like "@e5": take it from the last browser_snapshot.');
}
