// The program of the worker: converts one page and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { htmlToMarkdown } from './html-to-markdown.ts';

const { html, url, maxChars }: { readonly html: string; readonly url: string; readonly maxChars: number } = workerData;
const { title, markdown } = htmlToMarkdown(html, url);
// A page can be made so that much more becomes of it than it has: every link takes the base that it names once.
const isCut = markdown.length > maxChars;
parentPort?.postMessage({
  title: title.slice(0, maxChars),
  markdown: isCut ? markdown.slice(0, maxChars).toWellFormed() : markdown,
  isCut,
});
