import { moduleName } from './script-module.ts';
import { scriptStubsOf } from './script-stubs.ts';

/** What the model is told of `execute_code`: no tool that scripts do not have is named. */
export function describeCode(availableTools: ReadonlySet<string>): string {
  const stubs = scriptStubsOf(availableTools);
  const start =
    'Run a Python script in the sandbox, with nothing but the standard library and what is installed there. ' +
    'What it prints is the result; the working folder is the current one. Time and output are limited.';
  const helpers = 'json_parse(text) (lenient), shell_quote(text), retry(fn, max_attempts=3, delay=2)';
  if (stubs.length === 0) return `${start} The module ${moduleName} has ${helpers}.`;
  return [
    `${start} Use it where several tool calls need loops, conditions or filters in between, and only the outcome matters.`,
    '',
    `from ${moduleName} import … gives these functions, within a limited number of calls. They return parsed results, and ` +
      'do not raise where a tool fails: look for "error".',
    ...stubs.map(({ name, signature, summary }) => `  ${name}(${signature}) -> ${summary}`),
    `Also there: ${helpers}.`,
  ].join('\n');
}
