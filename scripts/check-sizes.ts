// Fails for a source file over 400 lines; names those over 200, which are a smell.
import { readFileSync } from 'node:fs';
import { readWorkspace, sourceFiles } from './workspace.ts';

const maxLines = 400;
const smellLines = 200;

const sizes = readWorkspace(process.cwd())
  .flatMap((entry) => sourceFiles(process.cwd(), entry.folder))
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
  .sort((left, right) => right.lines - left.lines);
const tooLong = sizes.filter((entry) => entry.lines > maxLines);
for (const { file, lines } of sizes.filter((entry) => entry.lines > smellLines)) {
  console.log(`${lines > maxLines ? 'TOO LONG' : 'long'}  ${String(lines).padStart(4)}  ${file}`);
}
console.log(`File sizes: ${sizes.length} source files, ${tooLong.length} over ${maxLines} lines.`);
process.exitCode = tooLong.length === 0 ? 0 : 1;
