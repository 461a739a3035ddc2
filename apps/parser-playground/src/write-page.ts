// Writes dist/index.html, and says where to open it.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPage } from './build-page.ts';

const file = join(import.meta.dirname, '..', 'dist', 'index.html');
await mkdir(dirname(file), { recursive: true });
await writeFile(file, await buildPage());
console.log(`Open ${pathToFileURL(file).href} in a browser.`);
