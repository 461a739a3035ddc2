// Reads generated texts in every format until one breaks a promise of the parsers, or as many as were asked for:
// node --conditions=@talaria/source fuzz/fuzz-parsers.ts --runs 10000000 --seed 1 [--parser NAME] [--seconds N] [--first N]
import { parseArgs } from 'node:util';
import { testedFormats } from '../test/tested-formats.ts';
import { createFormatMaterial } from './format-material.ts';
import { type FuzzFailure, runFuzz } from './run-fuzz.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    seconds: { type: 'string', default: 'Infinity' },
    parser: { type: 'string' },
  },
});
const runs = wholeNumber('runs');
const seed = wholeNumber('seed');
const first = wholeNumber('first');
const seconds = Number(values.seconds);
const formats = testedFormats
  .filter(({ name }) => values.parser === undefined || values.parser === name)
  .map(({ parser, vectors }) => createFormatMaterial(parser, vectors));
if (formats.length === 0) throw new RangeError(`There is no parser "${values.parser}"; see listParsers()`);

const startedAt = performance.now();
let nextReportAt = 10;

function elapsedSeconds(): number {
  return (performance.now() - startedAt) / 1000;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(name: 'runs' | 'seed' | 'first'): number {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError(`--${name} takes a whole number`);
  return number;
}

function printFailure(failure: FuzzFailure): void {
  print(`FAILED  ${failure.format}, input ${failure.number} of seed ${seed}`);
  print(`  text     ${JSON.stringify(failure.text)}`);
  print(`  said     ${failure.message}`);
  print(`  shorter  ${JSON.stringify(failure.shortText)}`);
  print(`  said     ${failure.shortMessage}`);
  print(`  tools    ${failure.tools === undefined ? 'not given' : failure.tools.length}`);
  const again = values.parser === undefined ? '' : ` --parser ${values.parser}`;
  print(`  again    --seed ${seed} --first ${failure.number} --runs 1${again}`);
}

print(`Fuzz of ${formats.length} formats: ${runs} inputs, seed ${seed}`);
const report = runFuzz({
  formats,
  seed,
  runs,
  first,
  isOver(inputs) {
    const elapsed = elapsedSeconds();
    if (elapsed >= nextReportAt) {
      nextReportAt = elapsed + 30;
      print(`${inputs} inputs, ${elapsed.toFixed(0)} s, ${(inputs / elapsed).toFixed(0)} a second`);
    }
    return elapsed >= seconds;
  },
});
for (const [format, calls] of report.calls) print(`${format.padEnd(20)} ${calls} calls found`);
const meanLength = (report.characters / Math.max(report.inputs, 1)).toFixed(0);
print(
  `${report.inputs} inputs of ${meanLength} characters on average, seed ${seed}, ${elapsedSeconds().toFixed(0)} s: ` +
    (report.failure === undefined ? 'no failure' : '1 failure'),
);
if (report.failure !== undefined) {
  printFailure(report.failure);
  process.exitCode = 1;
}
