import { readFileSync } from 'node:fs';
import { getParser, listParsers } from '@talaria/tool-call-parsers';
import { readToolCallVectors, toolCallParserContract } from '@talaria/tool-call-parsers/contract';

const names = process.argv.slice(2);
for (const n of names.length ? names : listParsers()) {
  const vectors = readToolCallVectors(readFileSync(`/work/shared/vectors/tool-calls/${n}.jsonl`, 'utf8'));
  let ok = 0;
  for (const c of toolCallParserContract({ vectors })) {
    try {
      await c.run(() => getParser(n));
      ok++;
    } catch (e) {
      console.log(n, c.name, String((e as Error).message).slice(0, 1500));
    }
  }
  console.log(n, 'cases ok', ok);
}
