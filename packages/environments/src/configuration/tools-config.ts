import { z } from 'zod';
import type { SchemaOf } from './environment-config.ts';
import { flag, optionalNumber, optionalText, textList, wholeNumber } from './field-schemas.ts';

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
  /** Most seconds of one script of `execute_code`. */
  readonly code_timeout_sec: number;
  /** Most calls that one script may make. */
  readonly max_code_calls: number;
  /** Show what a script wrote to standard error behind its output, as upstream does. */
  readonly append_code_stderr: boolean;
  /** Packages or files whose tools are added: `@acme/talaria-dice`, `./my-tools.ts`. */
  readonly packages: readonly string[];
  /** MCP servers by name: each is a toolset. */
  readonly mcp_servers: Readonly<Record<string, McpServerConfig>>;
  /** Models of `vision_analyze`, `image_generate` and `mixture_of_agents`; `null` or empty: the tool is not offered. */
  readonly vision_model: string | null;
  readonly image_model: string | null;
  readonly mixture_models: readonly string[];
  /** Who sums up what the others answered; `null`: the first of them. */
  readonly mixture_aggregator: string | null;
};

/** An MCP server: a program, or an address. */
export type McpServerConfig = {
  readonly command: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  readonly url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Only these tools; empty: all. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly timeout_sec: number;
};

const mcpServerSchema: SchemaOf<McpServerConfig> = z.strictObject({
  command: optionalText('Program that speaks MCP on its input and output.'),
  args: textList('Its arguments.'),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe('Variables of the program; keys as $' + '{NAME}.'),
  cwd: optionalText('Folder in which it starts; null: that of the run.'),
  url: optionalText('Address of a server that speaks MCP over HTTP.'),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe('Headers of each request; keys as $' + '{NAME}.'),
  include: textList('Only these tools; empty: all.'),
  exclude: textList('Tools that are left out.'),
  timeout_sec: wholeNumber(60, 'Most seconds of one call.', 1),
});

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
    code_timeout_sec: wholeNumber(300, 'Most seconds of one script of execute_code.', 1),
    max_code_calls: wholeNumber(50, 'Tool calls that one script may make.', 1),
    append_code_stderr: flag(false, 'Show what a script wrote to standard error behind its output.'),
    packages: textList('Packages or files whose tools are added.'),
    mcp_servers: z.record(z.string(), mcpServerSchema).default({}).describe('MCP servers by name: each is a toolset.'),
    vision_model: optionalText('Model that looks at images, such as openai/gpt-4.1-mini.'),
    image_model: optionalText('Model that makes images, such as openai/gpt-image-1.'),
    mixture_models: textList('Models that mixture_of_agents asks.'),
    mixture_aggregator: optionalText('Model that sums their answers up; null: the first of them.'),
  })
  .describe('how the tools behave');
