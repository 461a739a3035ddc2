import { truncateText } from '@talaria/core';
import type { Dialog, Page } from 'playwright-core';
import type { ConsoleLog } from '../console-log.ts';
import type { PageNotes } from '../page-notes.ts';

/** Who hears of what a page does. */
export interface PageEvents {
  readonly notes: PageNotes;
  readonly log: ConsoleLog;
  /** Counts a dialog of the step; gives whether there were too many. */
  readonly countDialog: () => boolean;
  /** Ends the page; says why. */
  readonly end: (why: string) => void;
}

/** Answers for the user, and tells what a page did that nobody asked for. */
export function watchPage(page: Page, { notes, log, countDialog, end }: PageEvents): void {
  page.on('dialog', (dialog) => {
    if (countDialog()) end('The page showed dialogs without end and was closed.');
    else notes.add(describeDialog(dialog));
    // A page that is left may not hold the browser back. A dialog whose page is gone needs no answer.
    (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  });
  page.on('console', (message) => {
    const { url, lineNumber } = message.location();
    log.addMessage({ type: message.type(), text: message.text(), source: place(url, lineNumber) });
  });
  page.on('pageerror', (error) => {
    log.addError({ message: error.message, source: sourceOf(error.stack ?? '') });
  });
  page.on('download', (download) => {
    notes.add(`The page offered the download ${truncateText(download.suggestedFilename(), 100)}, which was not taken.`);
    // It is denied by the context already.
    download.cancel().catch(() => undefined);
  });
  page.on('filechooser', () => notes.add('The page asked for a file; none can be chosen.'));
  page.on('crash', () => end('The page crashed and was closed.'));
  page.on('framenavigated', (frame) => {
    if (frame.parentFrame() !== null || isShown(frame.url())) return;
    end(`The page went to an address of ${new URL(frame.url()).protocol}, which is not shown, and was closed.`);
  });
}

function describeDialog(dialog: Dialog): string {
  if (dialog.type() === 'beforeunload') return 'The page asked whether to leave it; it was left.';
  return `The page showed the ${dialog.type()} "${truncateText(dialog.message(), 200)}", which was dismissed.`;
}

/** Whether a page may be shown as a whole. `chrome-error:` is what Chromium shows where nothing could be loaded. */
function isShown(url: string): boolean {
  return url === '' || /^(?:https?|about|blob|chrome-error):/i.test(url);
}

function place(url: string, lineNumber: number): string {
  return url === '' ? '' : `${url}:${lineNumber + 1}`;
}

/** The first place that a stack names. */
function sourceOf(stack: string): string {
  return /(https?:\/\/[^\s)]+)/.exec(stack)?.[1] ?? '';
}
