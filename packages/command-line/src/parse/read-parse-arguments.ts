import { describeFields, parseFlags } from '@talaria/config';
import { ConfigError, type JsonObject } from '@talaria/core';
import type { CommitMode } from '@talaria/tool-call-parsers';
import { z } from 'zod';
import { checkOwnFlags, flagName } from '../check-own-flags.ts';

/** What `talaria parse` was asked for. */
export interface ParseArguments {
  /** `null` where none is named. */
  readonly parserName: string | null;
  /** File with the text; `null` for standard input. */
  readonly fileName: string | null;
  /** File with the tools that the model was told of. */
  readonly toolsFile: string | null;
  /** Reasoning parser; `null` where reasoning is not told apart. */
  readonly reasoningName: string | null;
  /** Whether the text begins inside the reasoning; `undefined` for what is usual. */
  readonly startsInReasoning: boolean | undefined;
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
  reasoning: z.string().optional(),
  starts_in_reasoning: z.boolean().optional(),
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
 * @throws ConfigError for an unknown flag, a value that does not fit, a second file, a flag without the one that it belongs to
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
    reasoningName: given.reasoning ?? null,
    startsInReasoning: given.starts_in_reasoning,
    isStream: given.stream,
    commit: given.commit ?? 'call',
    deltaLength: given.delta_length ?? null,
    isJson: given.json,
    isList: given.list,
    warnings,
  };
}

function checkFlags(own: JsonObject): z.infer<typeof flags> {
  const given = checkOwnFlags(flags, own, 'parse');
  const alone = dependentFlags.find(([name, base]) => own[name] !== undefined && !given[base]);
  if (alone === undefined) return given;
  const [name, base] = alone.map(flagName);
  throw new ConfigError(`${name} means nothing without ${base}`, {
    code: 'config.bad-flag',
    hint: `Add ${base}, or leave ${name} away.`,
  });
}

/** Flags, and the flag that each belongs to. */
const dependentFlags = [
  ['commit', 'stream'],
  ['delta_length', 'stream'],
  ['starts_in_reasoning', 'reasoning'],
] as const;
