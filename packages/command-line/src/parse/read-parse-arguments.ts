import { describeFields, parseFlags } from '@talaria/config';
import { ConfigError, type JsonObject } from '@talaria/core';
import type { CommitMode } from '@talaria/tool-call-parsers';
import { z } from 'zod';

/** What `talaria parse` was asked for. */
export interface ParseArguments {
  /** `null` where none is named. */
  readonly parserName: string | null;
  /** File with the text; `null` for standard input. */
  readonly fileName: string | null;
  /** File with the tools that the model was told of. */
  readonly toolsFile: string | null;
  readonly isStream: boolean;
  readonly commit: CommitMode;
  /** Characters in each piece of a stream; `null` for the pieces that are read. */
  readonly deltaLength: number | null;
  readonly isJson: boolean;
  readonly isList: boolean;
  /** For people, one sentence each. */
  readonly warnings: readonly string[];
}

const flags = z.object({
  parser: z.string().optional(),
  tools: z.string().optional(),
  stream: z.boolean().default(false),
  commit: z.enum(['call', 'eager']).optional(),
  delta_length: z.int().min(1).optional(),
  json: z.boolean().default(false),
  list: z.boolean().default(false),
  // Not read here, but where an error that ends the program is told.
  verbose: z.boolean().default(false),
});

/**
 * Reads the arguments after `parse`.
 * @throws ConfigError for an unknown flag, a value that does not fit, a second file, a flag that needs `--stream`
 */
export function readParseArguments(args: readonly string[]): ParseArguments {
  const { own, positionals, warnings } = parseFlags(args, { fields: [], ownFields: describeFields(flags) });
  const given = checkFlags(own);
  const [fileName = '-', second] = positionals;
  if (second !== undefined) {
    throw new ConfigError(`parse reads one text, and was given ${positionals.length} files`, {
      code: 'config.stray-argument',
      hint: 'Run it once for each file.',
    });
  }
  return {
    parserName: given.parser ?? null,
    fileName: fileName === '-' ? null : fileName,
    toolsFile: given.tools ?? null,
    isStream: given.stream,
    commit: given.commit ?? 'call',
    deltaLength: given.delta_length ?? null,
    isJson: given.json,
    isList: given.list,
    warnings,
  };
}

function checkFlags(own: JsonObject): z.infer<typeof flags> {
  const result = flags.safeParse(own);
  if (!result.success) {
    const texts = result.error.issues.map(({ path, message }) => `${flagOf(path.join('.'))}: ${message}`);
    throw new ConfigError(texts.join('; '), {
      code: 'config.bad-flag',
      hint: 'talaria parse --help says what each flag takes.',
      cause: result.error,
    });
  }
  const needsStream = (['commit', 'delta_length'] as const).find((name) => own[name] !== undefined);
  if (needsStream === undefined || result.data.stream) return result.data;
  throw new ConfigError(`${flagOf(needsStream)} says how to stream, and --stream is missing`, {
    code: 'config.bad-flag',
    hint: `Add --stream, or leave ${flagOf(needsStream)} away.`,
  });
}

function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}
