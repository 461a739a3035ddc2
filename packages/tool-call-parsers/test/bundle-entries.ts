import { fileURLToPath } from 'node:url';
import { minify } from '@swc/core';
import { build } from 'esbuild';

/** What a bundler makes of a module for browsers. */
export interface BundledModule {
  /** Length of the minified script. */
  readonly bytes: number;
  /** The source files that were read, relative to the package. */
  readonly files: readonly string[];
  /** Those of which something is in the script. */
  readonly keptFiles: readonly string[];
}

/** Bundles each of these modules for itself, minified. Modules are given, and told of, by name. */
export async function bundleModules(modules: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, BundledModule>> {
  const bundled = [...modules].map(async ([name, contents]): Promise<[string, BundledModule]> => {
    const { metafile, outputFiles } = await build({
      stdin: { contents, sourcefile: 'importer.js', resolveDir: packageFolder },
      absWorkingDir: packageFolder,
      conditions: ['@talaria/source'],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      charset: 'utf8',
      logLevel: 'silent',
    });
    const script = outputFiles.map((file) => file.text).join('');
    const { code } = await minify(script, { compress: { passes: 4, toplevel: true }, mangle: true, module: true });
    const kept = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
    const module: BundledModule = {
      bytes: Buffer.byteLength(code),
      files: ownFiles(Object.keys(metafile.inputs)),
      keptFiles: ownFiles(kept.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file)),
    };
    return [name, module];
  });
  return new Map(await Promise.all(bundled));
}

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

function ownFiles(files: readonly string[]): readonly string[] {
  return files.filter((file) => file !== 'importer.js');
}
