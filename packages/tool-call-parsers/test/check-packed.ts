// Run by scripts/check-packages.ts in a project that has the packed package, on every Node that the package supports.
// Reads all vectors, whole and streamed; what it prints must be the same on all of them.
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { getParser, listParsers } from '@talaria/tool-call-parsers';
import { readToolCallVectors, toolCallParserContract } from '@talaria/tool-call-parsers/contract';
import { disputedVectors } from './disputed-vectors.ts';
import { readVectorFiles } from './vector-files.ts';
import { readVectors } from './vector-readings.ts';

const [packageFolder = '.'] = process.argv.slice(2);
const vectorFiles = readVectorFiles(pathToFileURL(`${packageFolder}/test/vectors/tool-calls/`));
const readings = readVectors(vectorFiles);

for (const name of listParsers()) {
  const vectors = readToolCallVectors(vectorFiles[name] ?? '', `${name}.jsonl`);
  const disputed = disputedVectors.filter((entry) => entry.parser === name);
  const cases = toolCallParserContract({ vectors, disputed }).filter((entry) => entry.name.includes(': read whole'));
  if (cases.length === 0) throw new Error(`No vectors of ${name} were read`);
  for (const entry of cases) await entry.run(() => getParser(name));
  for (const { vector, differences } of readings[name] ?? []) {
    if (differences.length > 0) throw new Error(`${name}, ${vector}: streamed otherwise than whole: ${differences}`);
  }
  const digest = createHash('sha256').update(JSON.stringify(readings[name])).digest('hex');
  process.stdout.write(`${name}: ${cases.length} vectors, readings ${digest}\n`);
}
