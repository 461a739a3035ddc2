// Measures one format in a process of its own, since what a process did before changes how fast it runs: forty formats
// after one another would be measured with code that was optimised for others. Started by parsers.bench.ts.
import { getParser } from '@talaria/tool-call-parsers';
import { measureFormat } from './measure-format.ts';

process.stdout.write(JSON.stringify(measureFormat(getParser(process.argv[2] ?? ''))));
