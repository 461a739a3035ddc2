import { ConfigError, Secret } from '@talaria/core';
import { z } from 'zod';
import type { UrlPolicy } from '../web/url-policy/index.ts';

/** A server that is a program of this machine, spoken to by its standard input and output. */
export interface McpStdioOptions {
  readonly kind: 'stdio';
  /** A path, or a name that is looked for in the `PATH` that the program gets. */
  readonly command: string;
  /** @default none */
  readonly args?: readonly string[] | undefined;
  /** Variables with their values. @default none */
  readonly env?: Readonly<Record<string, string | Secret>> | undefined;
  /** Names of host variables that it gets beside `env`, and no others. @default ['PATH', 'HOME'] */
  readonly inherit?: readonly string[] | undefined;
  /** @default that of this process */
  readonly cwd?: string | undefined;
}

/** A server that is reached by Streamable HTTP. */
export interface McpHttpOptions {
  readonly kind: 'http';
  /** `http:` or `https:`, without credentials. */
  readonly url: string;
  /** Sent with every request, and never to another origin. @default none */
  readonly headers?: Readonly<Record<string, string | Secret>> | undefined;
}

/** How a server is reached. */
export type McpTransport = McpStdioOptions | McpHttpOptions;

/** What {@link openMcpServer} takes. */
export interface McpServerOptions {
  /** Letters, digits, `_` and `-`, at most 40: the toolset that its tools belong to. */
  readonly name: string;
  readonly transport: McpTransport;
  /** Only these of its tools, by the server's own names. @default all */
  readonly include?: readonly string[] | undefined;
  /** Not these of its tools, by the server's own names. @default none */
  readonly exclude?: readonly string[] | undefined;
  /** Put before each tool's name. @default `mcp_<name>_` */
  readonly prefix?: string | undefined;
  /** For the handshake, for each page of the list, and for each call, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** A server that ended is opened again by the next call, unless it then ends before it answers one. @default true */
  readonly mayReopen?: boolean | undefined;
  /** Largest message that is taken from the server, in bytes. @default 33_554_432 */
  readonly maxMessageBytes?: number | undefined;
  /** Which addresses may be connected to, for servers that are reached by HTTP. @default all */
  readonly policy?: UrlPolicy | undefined;
  /** What the server is told of its client. @default talaria */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
}

/** {@link McpStdioOptions} with every default filled in. */
export interface ParsedMcpStdio extends McpStdioOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | Secret>>;
  readonly inherit: readonly string[];
}

/** {@link McpHttpOptions} with every default filled in. */
export interface ParsedMcpHttp extends McpHttpOptions {
  readonly headers: Readonly<Record<string, string | Secret>>;
}

/** {@link McpServerOptions} with every default filled in. */
export interface ParsedMcpServer extends McpServerOptions {
  readonly transport: ParsedMcpStdio | ParsedMcpHttp;
  readonly exclude: readonly string[];
  readonly timeoutMs: number;
  readonly mayReopen: boolean;
  readonly maxMessageBytes: number;
  readonly clientInfo: { readonly name: string; readonly version: string };
}

const names = z.array(z.string().min(1));
const texts = z.record(z.string(), z.union([z.string(), z.instanceof(Secret)]));

const stdioOptions = z.strictObject({
  kind: z.literal('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  inherit: names.default(['PATH', 'HOME']),
  cwd: z.string().min(1).optional(),
});

const httpOptions = z.strictObject({
  kind: z.literal('http'),
  url: z.url({ protocol: /^https?$/ }).refine((url) => !hasCredentials(url), 'holds credentials; use headers instead'),
  headers: texts.default({}),
});

const serverOptions: z.ZodType<ParsedMcpServer> = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,40}$/, 'must be 1 to 40 letters, digits, _ or -'),
  transport: z.discriminatedUnion('kind', [stdioOptions, httpOptions]),
  include: names.optional(),
  exclude: names.default([]),
  prefix: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{0,40}$/, 'must be at most 40 letters, digits, _ or -')
    .optional(),
  timeoutMs: z.number().positive().default(60_000),
  mayReopen: z.boolean().default(true),
  maxMessageBytes: z.int().positive().default(33_554_432),
  policy: z.custom<UrlPolicy>().optional(),
  clientInfo: z.strictObject({ name: z.string(), version: z.string() }).default({ name: 'talaria', version: '0' }),
});

/** Checks options. Values of variables and headers are never part of an error. @throws ConfigError `config.invalid` */
export function parseMcpServerOptions(options: McpServerOptions): ParsedMcpServer {
  const parsed = serverOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw new ConfigError(`The options of an MCP server are wrong: ${faults.join('; ')}`, {
    code: 'config.invalid',
    hint: 'Give a name and a transport: a command for kind "stdio", a url for kind "http".',
  });
}

/** The value of a text that may be secret, for the one place that hands it on. */
export function revealText(text: string | Secret): string {
  return typeof text === 'string' ? text : text.reveal();
}

function hasCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
}
