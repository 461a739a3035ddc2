/// <reference path="./turndown-plugin-gfm.d.ts" />
// Runs in a worker, where Node reads it without a compiler's settings: nothing of other packages of this repository.
import { gfm } from '@joplin/turndown-plugin-gfm';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

/** A page as Markdown. */
export interface MarkdownPage {
  /** Empty where the page has none. */
  readonly title: string;
  readonly markdown: string;
}

/** What is used of elements. */
interface PageElement {
  readonly textContent: string | null;
  innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** Elements that are not meant to be read. */
const unread = 'script, style, noscript, template, svg, iframe, object, embed, link[rel~="stylesheet"]';

/** Elements around the content. */
const surroundings = 'nav, header, footer, aside, form, [role="navigation"], [aria-hidden="true"]';

/** Of the page's text, the share that the main part must have to be taken for all of it. */
const minMainShare = 0.25;

/** Turns a page into Markdown: its main part, where one can be told. Links become absolute, inline pictures go. */
export function htmlToMarkdown(html: string, url: string): MarkdownPage {
  const root = parsePage(html);
  const title = root.querySelector('title')?.textContent?.trim() ?? '';
  for (const element of root.querySelectorAll(unread)) element.remove();
  makeAbsolute(root, url);
  const wholePage = root.querySelector('body')?.innerHTML ?? root.innerHTML;
  const main = mainPartOf(html, root);
  for (const element of root.querySelectorAll(surroundings)) element.remove();
  const rest = root.querySelector('body')?.innerHTML ?? '';
  const restLength = textLength(root.querySelector('body')?.textContent);
  const content = main !== undefined && main.length >= restLength * minMainShare ? main.content : rest;
  const markdown = toMarkdown(content);
  return { title, markdown: markdown === '' ? toMarkdown(wholePage) : markdown };
}

function parsePage(html: string): PageElement {
  const isWhole = /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html);
  const text = isWhole ? html : `<!doctype html><html><head></head><body>${html}</body></html>`;
  const { document }: { readonly document: { readonly documentElement: PageElement } } = parseHTML(text);
  return document.documentElement;
}

/** Readability takes the document apart, so it gets one of its own. */
function mainPartOf(
  html: string,
  root: PageElement,
): { readonly content: string; readonly length: number } | undefined {
  if (textLength(root.textContent) < 500) return undefined;
  const { document } = parseHTML(`<!doctype html><html>${root.innerHTML}</html>`);
  // It gives up on pages with this many elements; they are taken as they are.
  const maxElemsToParse = 50_000;
  try {
    const article = new Readability(document, { maxElemsToParse, charThreshold: Math.min(500, html.length) }).parse();
    const { content, textContent } = article ?? {};
    if (typeof content !== 'string') return undefined;
    return { content, length: textLength(textContent) };
  } catch {
    // Whatever it cannot manage is read without it.
    return undefined;
  }
}

function makeAbsolute(root: PageElement, url: string): void {
  const base = resolve(root.querySelector('base[href]')?.getAttribute('href') ?? '', url) ?? url;
  for (const link of root.querySelectorAll('a[href]')) {
    const target = resolve(link.getAttribute('href') ?? '', base);
    if (target === undefined) link.removeAttribute('href');
    else link.setAttribute('href', target);
  }
  for (const image of root.querySelectorAll('img')) {
    const target = resolve(image.getAttribute('src') ?? image.getAttribute('data-src') ?? '', base);
    if (target === undefined) image.remove();
    else image.setAttribute('src', target);
    image.removeAttribute('srcset');
  }
}

/** The absolute address; `undefined` for what is no address of the web: scripts, inline data. */
function resolve(href: string, base: string): string | undefined {
  const target = URL.parse(href, base);
  return target !== null && /^(?:https?|ftp|mailto):$/.test(target.protocol) ? target.href : undefined;
}

function toMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  service.use(gfm);
  return service
    .turndown(html)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function textLength(text: string | null | undefined): number {
  return (text ?? '').replace(/\s+/g, ' ').trim().length;
}
