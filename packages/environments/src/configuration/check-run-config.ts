import { ConfigError, nearestName, systemErrorCode } from '@talaria/core';
import type { BackendKind } from '@talaria/terminal-backends';
import type { ParserRegistry } from '@talaria/tool-call-parsers';
import { checkTerminalConfig } from './check-terminal-config.ts';
import type { EnvironmentConfig } from './environment-config.ts';
import type { DriverName, RunConfig } from './run-config.ts';
import type { ServerConfig } from './server-config.ts';

/** What {@link checkRunConfig} has to know beside the configuration. */
export interface RunConfigContext {
  readonly driver: DriverName;
  readonly availableBackends: readonly BackendKind[];
  /** What `env.tool_call_parser` may name. */
  readonly parsers: ParserRegistry;
}

/**
 * Checks what one field alone does not show; returns warnings.
 * @throws ConfigError that says which setting to change
 */
export function checkRunConfig<Config>(config: RunConfig<Config>, context: RunConfigContext): readonly string[] {
  const { env } = config;
  const terminalWarnings = checkTerminalConfig(config.terminal, context.availableBackends);
  checkParser(env.tool_call_parser, context.parsers);
  checkToolsets(env);
  if (context.driver === 'process' && env.total_steps <= 0) {
    throw invalid(
      `env.total_steps is ${env.total_steps}, so there is nothing to do`,
      'Give a number of groups: --steps 10',
    );
  }
  return [...terminalWarnings, ...checkServers(config.openai), ...checkTracker(env)];
}

function checkParser(name: string, parsers: ParserRegistry): void {
  try {
    parsers.getParser(name);
  } catch (error) {
    if (systemErrorCode(error) !== 'parser.unknown') throw error;
    const names = parsers.listParsers();
    const aliases = names.flatMap((known) => parsers.getParser(known).aliases ?? []);
    const meant = nearestName(name, [...names, ...aliases]);
    throw new ConfigError(`Unknown tool-call parser ${JSON.stringify(name)}`, {
      code: 'config.unknown-parser',
      hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}There are ${names.join(', ')}.`,
      cause: error,
    });
  }
}

function checkToolsets(env: EnvironmentConfig): void {
  if (env.distribution === null || env.enabled_toolsets === null) return;
  throw new ConfigError('env.distribution and env.enabled_toolsets are both set', {
    code: 'config.conflict',
    hint: 'Keep one of them; --env.enabled_toolsets null or --env.distribution null takes the other away.',
  });
}

function checkServers(servers: readonly ServerConfig[]): readonly string[] {
  const tokenTypes = servers.filter((server) => server.server_type !== 'openai').map((server) => server.server_type);
  if (tokenTypes.length > 0 && tokenTypes.length < servers.length) {
    throw invalid(
      'openai lists servers of type openai beside others',
      'Give every server the same kind of server_type.',
    );
  }
  return tokenTypes
    .slice(0, 1)
    .map((type) => `openai.server_type ${type}: answers are asked for as chat, without tokens`);
}

function checkTracker(env: EnvironmentConfig): readonly string[] {
  return env.tracker === 'wandb' ? ['env.tracker wandb is not part of this version; metrics go to the run folder'] : [];
}

function invalid(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
