import { ConfigError } from '@talaria/core';
import { getParser, listParsers, type ToolCallParser } from '@talaria/tool-call-parsers';
import { createAnswerParser, getReasoningParser } from '@talaria/tool-call-parsers/reasoning';
import { exitCodes } from '../exit-code.ts';
import { parseHelp } from '../help-text.ts';
import type { Host } from '../host.ts';
import { writeParserList } from './list-parsers.ts';
import type { AnswerReader } from './parse-request.ts';
import { parseStreamed } from './parse-streamed.ts';
import { parseWhole } from './parse-whole.ts';
import { type ParseArguments, readParseArguments } from './read-parse-arguments.ts';
import { readTools } from './read-tools.ts';

/**
 * `talaria parse`: reads a model's text with a parser, and shows the calls, the content and the errors, whole or as the
 * events of a stream. The exit code is 1 where there are errors. Stop signals keep the system's action: nothing is left
 * behind.
 */
export async function runParse(host: Host, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    host.stdout.write(parseHelp);
    return exitCodes.done;
  }
  const request = readParseArguments(args);
  for (const warning of request.warnings) host.stderr.write(`warning: ${warning}\n`);
  if (request.isList) return writeParserList(host, request.isJson);
  const parser = chooseParser(request.parserName);
  const reader = chooseReader(parser, request.reasoningName);
  const tools = request.toolsFile === null ? undefined : await readTools(host, request.toolsFile);
  if (request.fileName === null && host.stdin.isTerminal) host.stderr.write(describeWaiting(parser));
  return (request.isStream ? parseStreamed : parseWhole)(host, { ...request, parser, reader, tools });
}

function chooseParser(name: ParseArguments['parserName']): ToolCallParser {
  if (name !== null) return getParser(name);
  const [example = 'NAME'] = listParsers();
  throw new ConfigError('talaria parse needs the name of a parser', {
    code: 'config.missing-argument',
    hint: `For example: talaria parse --parser ${example} reply.txt; talaria parse --list shows all names.`,
  });
}

function chooseReader(toolCalls: ToolCallParser, reasoningName: ParseArguments['reasoningName']): AnswerReader {
  if (reasoningName === null) return toolCalls;
  return createAnswerParser({ reasoning: getReasoningParser(reasoningName), toolCalls });
}

function describeWaiting({ name }: ToolCallParser): string {
  return `Waiting for the text: paste it, then press Enter and Ctrl-D. Or name a file: talaria parse --parser ${name} reply.txt\n`;
}
