import type { BrowserConfig } from './browser-config.ts';
import type { EnvironmentConfig } from './environment-config.ts';
import type { ServerConfig } from './server-config.ts';
import type { TerminalConfig } from './terminal-config.ts';
import type { ToolsConfig } from './tools-config.ts';
import type { WebConfig } from './web-config.ts';

/** What is done with an environment. */
export type DriverName = 'process' | 'evaluate';

/** Everything that a run is told, resolved and checked. Keys are those of the file: snake_case. */
export interface RunConfig<Config = EnvironmentConfig> {
  /** The base fields and the environment's own. */
  readonly env: EnvironmentConfig & Config;
  /** One server or more. */
  readonly openai: readonly ServerConfig[];
  readonly terminal: TerminalConfig;
  readonly tools: ToolsConfig;
  readonly web: WebConfig;
  readonly browser: BrowserConfig;
  readonly slurm: boolean;
  readonly testing: boolean;
  readonly max_n_completions: number;
  readonly proxy_url: string | null;
}
