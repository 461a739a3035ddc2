import type { Frame, Page, Request, Response } from 'playwright-core';

/** What is seen of a navigation while it goes on. Dispose of it when that is over. */
export interface LoadWatch extends Disposable {
  /** Whether the server answered for the address. */
  readonly hasCome: boolean;
  /** Whether Chromium shows a page of its own that tells of a failure. */
  readonly hasErrorPage: boolean;
  /** Resolves when the document is shown and breaks off: nothing tells that it was read then, for it never is. */
  readonly brokenOff: Promise<Response | null>;
}

/** Watches a page go to an address. */
export function watchLoad(page: Page, url: string): LoadWatch {
  const broken = Promise.withResolvers<Response | null>();
  let hasCome = false;
  let isShown = false;
  let hasErrorPage = false;
  const hear = (response: Response): void => {
    if (isOf(response.request(), url)) hasCome = true;
  };
  const show = (frame: Frame): void => {
    if (isErrorPage(frame)) hasErrorPage = true;
    else if (frame === page.mainFrame()) isShown = hasCome;
  };
  const fail = (request: Request): void => {
    if (!isShown || !request.isNavigationRequest() || !isOf(request, url)) return;
    request.response().then(broken.resolve, () => broken.resolve(null));
  };
  page.on('response', hear).on('framenavigated', show).on('requestfailed', fail);
  return {
    get hasCome() {
      return hasCome;
    },
    get hasErrorPage() {
      return hasErrorPage;
    },
    brokenOff: broken.promise,
    [Symbol.dispose]() {
      page.off('response', hear).off('framenavigated', show).off('requestfailed', fail);
    },
  };
}

/** Whether a page is one that Chromium shows of a failure. */
export function isErrorPage(frame: Frame): boolean {
  return frame.parentFrame() === null && frame.url().startsWith('chrome-error:');
}

/** Whether a request is for an address, or what it redirects to. */
function isOf(request: Request, url: string): boolean {
  const wanted = withoutHash(url);
  for (let earlier: Request | null = request; earlier !== null; earlier = earlier.redirectedFrom()) {
    if (earlier.url() === wanted) return true;
  }
  return false;
}

/** An address as servers see it. */
export function withoutHash(url: string): string {
  return url.replace(/#.*$/s, '');
}
