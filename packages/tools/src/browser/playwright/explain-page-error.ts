import { stripVTControlCharacters } from 'node:util';
import { errorMessage, isTalariaError } from '@talaria/core';
import { BrowserError } from '../browser-error.ts';
import type { PageEnd } from './page-stack.ts';

/** What the model is told of an error of the package; errors of ours pass unchanged. */
export function explainPageError(error: unknown, lastEnd: PageEnd | undefined): unknown {
  if (isTalariaError(error)) return error;
  const message = withoutColours(errorMessage(error));
  const [first = ''] = message.split('\n', 1);
  const shown = first.replace(/^[a-zA-Z]+\.[a-zA-Z]+: /, '');
  if (/has been closed|(?:Target|Page) crashed/.test(first)) {
    const what = first.includes('crashed') ? 'crashed and was closed' : 'was closed';
    const { kind, why }: PageEnd = lastEnd ?? { kind: 'not_available', why: `The page ${what}.` };
    return new BrowserError(kind, `${why} Open one with browser_navigate.`, { cause: error });
  }
  if (isTimeout(error)) return new BrowserError('timeout', explainTimeout(message), { cause: error });
  if (/Unknown key/.test(first))
    return new BrowserError('invalid_args', `${shown}. Name it as Enter, Tab, a, Control+a.`);
  if (/net::ERR_/.test(first)) return explainNetworkError(first, error);
  if (/Execution context was destroyed|frame was detached/i.test(first)) {
    return new BrowserError('not_available', 'The page changed meanwhile. Take a new snapshot.', { cause: error });
  }
  if (/Element is not an <input>|cannot be filled|Cannot type text into|Malformed value/i.test(message)) {
    return new BrowserError('invalid_args', `This element cannot be filled in so: ${shown}.`, { cause: error });
  }
  return new BrowserError('internal', `The browser failed: ${shown}.`, { cause: error });
}

/** Errors of the package may come from another copy of it. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'TimeoutError';
}

/** The log of the package says what the element waited for. */
function explainTimeout(message: string): string {
  const reasons = [
    [/<([^>\s]+)[^>]*>[^\n]*intercepts pointer events/, 'another element (<$1>) covers it'],
    [/element is not visible/, 'it is not visible'],
    [/element is not enabled/, 'it is disabled'],
    [/element is not editable/, 'it cannot be edited'],
    [/element is not stable/, 'it keeps moving'],
    [/element is outside of the viewport/, 'it is outside of the page'],
    [/did not find some options/, 'it has no such option'],
  ] as const;
  for (const [pattern, reason] of reasons) {
    const found = pattern.exec(message);
    if (found !== null) {
      return `The element cannot be used: ${reason.replace('$1', found[1] ?? '')}. Take a new snapshot and choose another way.`;
    }
  }
  return 'The page took too long. Take a new snapshot to see how it is.';
}

function explainNetworkError(message: string, cause: unknown): BrowserError {
  const [, code = ''] = /net::(ERR_[A-Z_0-9]+)/.exec(message) ?? [];
  if (code === 'ERR_TOO_MANY_REDIRECTS') {
    return new BrowserError('network', 'The address redirects without end.', { cause });
  }
  if (code === 'ERR_INVALID_AUTH_CREDENTIALS') {
    const message = 'The page asks for a user name and password, which this browser does not give.';
    return new BrowserError('permission', message, { cause });
  }
  if (code === 'ERR_ABORTED') {
    return new BrowserError('not_available', 'The address is no page: it was a download, or has no content.', {
      cause,
    });
  }
  return new BrowserError('network', `The page could not be loaded (${code}).`, { cause });
}

function withoutColours(text: string): string {
  return stripVTControlCharacters(text);
}
