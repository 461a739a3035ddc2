import { z } from 'zod';
import type { SchemaOf } from './environment-config.ts';
import { flag, optionalNumber, wholeNumber } from './field-schemas.ts';

/** The section `tools`: how the built-in tools behave. */
export type ToolsConfig = {
  /** Most seconds of one tool call; `null`: `terminal.timeout_sec` and a minute. */
  readonly max_tool_sec: number | null;
  /** Characters of command output that the model sees. */
  readonly max_output_chars: number;
  readonly collapse_carriage_returns: boolean;
  readonly line_number_style: 'compact' | 'padded6';
  /** What a third identical read in a row does. */
  readonly repeat_policy: 'warn' | 'block' | 'off';
  readonly lint: boolean;
  readonly safe_root: string | null;
  /** Change arguments of a wrong type into the right one; `null`: in calls that the model writes as text. */
  readonly lenient_arguments: boolean | null;
  /** Read tool calls that the model writes as text. */
  readonly fallback_parse: boolean;
  /** Most parallel-safe calls of one turn at the same time. */
  readonly max_concurrent_calls: number;
  /** Go on although a requested toolset has a tool that is not available. */
  readonly allow_missing: boolean;
};

/** Schema of the section `tools`. */
export const toolsConfigSchema: SchemaOf<ToolsConfig> = z
  .strictObject({
    max_tool_sec: optionalNumber('Most seconds of one tool call; null: terminal.timeout_sec and a minute.'),
    max_output_chars: wholeNumber(50_000, 'Characters of command output that the model sees.', 1),
    collapse_carriage_returns: flag(true, 'Keep only the last state of progress lines.'),
    line_number_style: z.enum(['compact', 'padded6']).default('compact').describe('How read_file numbers lines.'),
    repeat_policy: z.enum(['warn', 'block', 'off']).default('warn').describe('What a third identical read does.'),
    lint: flag(true, 'Check the syntax of files after an edit.'),
    safe_root: z
      .string()
      .startsWith('/', 'Expected the absolute path of a folder inside the sandbox')
      .nullable()
      .default(null)
      .describe('Refuse writes outside this folder of the sandbox; absolute.'),
    lenient_arguments: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Mend arguments of a wrong type; null: in calls that are written as text.'),
    fallback_parse: flag(true, 'Read tool calls that the model writes as text.'),
    max_concurrent_calls: wholeNumber(8, 'Calls of one turn at the same time, where they allow it.', 1),
    allow_missing: flag(false, 'Go on without tools that are asked for and not available.'),
  })
  .describe('how the tools behave');
