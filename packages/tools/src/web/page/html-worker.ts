// The program of the worker: converts one page and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { htmlToMarkdown } from './html-to-markdown.ts';

const { html, url }: { readonly html: string; readonly url: string } = workerData;
parentPort?.postMessage(htmlToMarkdown(html, url));
