// Fails where TypeScript in a document does not compile, or a relative link points to nothing.
// Every ```ts block of every Markdown file is written to examples/.docs/ and compiled there, imports by package name.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'apps/*/README.md', 'examples/*.md'])
  .filter((file) => !file.includes('node_modules'))
  .sort();
const outputFolder = 'examples/.docs';
const faults: string[] = [];

/**
 * The TypeScript blocks of a document, each with the line on which it begins. A comment `<!-- given … -->` right before a
 * block holds declarations that the reader is told of in the text and the compiler needs.
 */
function typeScriptBlocks(text: string): { readonly line: number; readonly code: string }[] {
  return [...text.matchAll(/^(?:<!-- given\n([\s\S]*?)-->\n+)?```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index + match[0].indexOf('```ts')).split('\n').length + 1,
    code: `${match[1] ?? ''}${match[2] ?? ''}`,
  }));
}

function checkLinks(file: string, text: string): void {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  for (const match of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    const target = (match[1] ?? '').replace(/#.*$/, '');
    if (target === '' || /^[a-z]+:/.test(target)) continue;
    if (!existsSync(join(dirname(file), target))) faults.push(`${file}: the link to ${target} points to nothing`);
  }
}

rmSync(outputFolder, { recursive: true, force: true });
mkdirSync(outputFolder, { recursive: true });
let blockCount = 0;
for (const file of documents) {
  const text = readFileSync(file, 'utf8');
  checkLinks(file, text);
  for (const { line, code } of typeScriptBlocks(text)) {
    blockCount += 1;
    const name = `${file.replaceAll(/[^A-Za-z0-9]+/g, '-').toLowerCase()}-line-${line}.ts`;
    writeFileSync(join(outputFolder, name), `${code}\nexport {};\n`);
  }
}
writeFileSync(
  join(outputFolder, 'tsconfig.json'),
  JSON.stringify({
    extends: '../../configs/tsconfig/check.json',
    compilerOptions: { noUnusedLocals: false },
    include: ['./*.ts'],
    exclude: [],
  }),
);
const compiler = spawnSync('tsc', ['-p', join(outputFolder, 'tsconfig.json')], { encoding: 'utf8' });
if (compiler.status !== 0) faults.push(`${compiler.stdout}${compiler.stderr}`);
for (const fault of faults) console.error(fault);
console.log(`Documents: ${documents.length} files, ${blockCount} TypeScript blocks, ${faults.length} faults.`);
process.exitCode = faults.length === 0 ? 0 : 1;
