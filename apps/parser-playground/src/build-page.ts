import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const pageFolder = join(import.meta.dirname, 'page');

/** The whole playground as the text of one HTML file, which loads nothing and runs no script but its own. */
export async function buildPage(): Promise<string> {
  const [template, script, style] = await Promise.all([
    readFile(join(pageFolder, 'index.html'), 'utf8'),
    bundle('main.ts'),
    bundle('style.css'),
  ]);
  const policy = [
    `default-src 'none'`,
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return fill(template, { policy, script, style });
}

/** One file and all that it imports, in the syntax of browsers of 2023. */
async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(pageFolder, name)],
    outdir: pageFolder,
    conditions: ['@talaria/source'],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'silent',
  });
  const text = outputFiles.map((file) => file.text).join('');
  // Inside an element for scripts, these begin or end something, whatever they mean in the program.
  const markup = /<!--|<\/?(?:script|style)/i.exec(text)?.[0];
  if (markup !== undefined) throw new Error(`The bundle of ${name} holds ${markup}: write it in two parts there.`);
  return text;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Puts each part where a comment in the template names it. */
function fill(template: string, parts: Readonly<Record<string, string>>): string {
  return template.replace(/\/\* (\w+) \*\//g, (place, name: string) => parts[name] ?? place);
}
