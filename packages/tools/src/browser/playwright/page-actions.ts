import type { CDPSession, Locator, Page } from 'playwright-core';
import type { PageImage, ScrollDirection, ScrollOutcome, TypedInto } from '../browser-driver.ts';
import { staleRef } from '../browser-error.ts';

/** Limits of an action on an element. */
export interface ActionLimits {
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** The element of a ref of the last snapshot. @throws BrowserError `not_found` where it is gone */
export async function elementOf(page: Page, ref: string): Promise<Locator> {
  const element = page.locator(`aria-ref=${ref}`);
  if ((await element.count()) === 0) throw staleRef(ref);
  return element;
}

/** Fills in a field, or chooses from a list. */
export async function fillIn(element: Locator, text: string, limits: ActionLimits): Promise<TypedInto> {
  const { tag, type, autocomplete } = await element.evaluate((node) => ({
    tag: node.tagName.toLowerCase(),
    type: (node.getAttribute('type') ?? '').toLowerCase(),
    autocomplete: node.getAttribute('autocomplete') ?? '',
  }));
  if (tag === 'select') await element.selectOption({ label: text }, limits);
  else await element.fill(text, limits);
  return { isSecret: tag === 'input' && (type === 'password' || /\b(?:current|new)-password\b/.test(autocomplete)) };
}

/** Scrolls the page, or the largest part of it that can be scrolled where the page cannot. */
export async function scrollPage(page: Page, direction: ScrollDirection): Promise<ScrollOutcome> {
  const hasMoved: unknown = await page.evaluate(`((sign) => {
    const canScroll = (node) => node.scrollHeight > node.clientHeight + 1 && node.clientHeight > 0;
    const root = document.scrollingElement ?? document.documentElement;
    const parts = canScroll(root) ? [] : [...document.querySelectorAll('*')]
      .filter((node) => canScroll(node) && /auto|scroll/.test(getComputedStyle(node).overflowY))
      .sort((left, right) => right.clientHeight * right.clientWidth - left.clientHeight * left.clientWidth);
    const target = parts[0] ?? root;
    const before = target.scrollTop;
    target.scrollBy({ top: sign * Math.max(100, Math.round(innerHeight * 0.8)), behavior: 'instant' });
    return target.scrollTop !== before;
  })(${direction === 'down' ? 1 : -1})`);
  return { hasMoved: hasMoved === true };
}

/** The images of the page. */
export async function imagesOf(page: Page): Promise<readonly PageImage[]> {
  const images: unknown = await page.evaluate(`[...document.images].slice(0, 1000).map((image) => ({
    src: image.currentSrc || image.src, alt: image.alt, width: image.naturalWidth, height: image.naturalHeight
  })).filter((image) => image.src !== '').map((image) => ({
    ...image, src: image.src.startsWith('data:') ? image.src.slice(0, 100) : image.src
  }))`);
  return Array.isArray(images) ? images.flatMap(readImage) : [];
}

/** Pages can change what their objects are; nothing of them is trusted. */
function readImage(value: unknown): PageImage[] {
  if (typeof value !== 'object' || value === null || !('src' in value && 'alt' in value)) return [];
  const width = 'width' in value ? Number(value.width) : 0;
  const height = 'height' in value ? Number(value.height) : 0;
  return [{ src: String(value.src), alt: String(value.alt), width: width || 0, height: height || 0 }];
}

/** Whether there is a page before the one that is shown. The blank one, with which each session begins, is none. */
export async function hasEarlierPage(page: Page): Promise<boolean> {
  const session: CDPSession = await page.context().newCDPSession(page);
  try {
    const { currentIndex, entries } = await session.send('Page.getNavigationHistory');
    const earlier = entries[currentIndex - 1];
    return earlier !== undefined && earlier.url !== 'about:blank';
  } finally {
    await session.detach();
  }
}

/** Gives up a navigation that has not come: until then the page answers nothing. */
export async function stopLoading(page: Page): Promise<void> {
  const session: CDPSession = await page.context().newCDPSession(page);
  try {
    await session.send('Page.stopLoading');
  } finally {
    await session.detach();
  }
}
