export { backendKinds } from './configuration/backend-kinds.ts';
export type { DaytonaConfig } from './configuration/backends/daytona-config.ts';
export {
  type DockerConfig,
  type RegistryConfig,
  ulimitPattern,
  volumePattern,
} from './configuration/backends/docker-config.ts';
export type { ModalConfig } from './configuration/backends/modal-config.ts';
export type { SingularityConfig } from './configuration/backends/singularity-config.ts';
export { jumpPattern, type SshConfig } from './configuration/backends/ssh-config.ts';
export { type BrowserConfig, browserConfigSchema } from './configuration/browser-config.ts';
export {
  type EnvironmentConfig,
  environmentConfigSchema,
  type SchemaOf,
} from './configuration/environment-config.ts';
export {
  type ResolvedRunConfig,
  resolveRunConfig,
} from './configuration/resolve-run-config.ts';
export {
  type ResolvedTerminalConfig,
  resolveTerminalConfig,
  type TerminalConfigSources,
} from './configuration/resolve-terminal-config.ts';
export {
  type ResolvedToolsConfig,
  resolveToolsConfig,
  type ToolSections,
  type ToolsConfigSources,
} from './configuration/resolve-tools-config.ts';
export type { DriverName, RunConfig } from './configuration/run-config.ts';
export { describeRunConfig } from './configuration/run-config-schema.ts';
export type { RunConfigSources } from './configuration/run-config-sources.ts';
export { runFlagAliases } from './configuration/run-flag-aliases.ts';
export { type ServerConfig, serverConfigSchema } from './configuration/server-config.ts';
export { settingsOfLater } from './configuration/settings-without-effect.ts';
export { defaultImage, type TerminalConfig, terminalConfigSchema } from './configuration/terminal-config.ts';
export { type McpServerConfig, type ToolsConfig, toolsConfigSchema } from './configuration/tools-config.ts';
export { type WebConfig, webConfigSchema } from './configuration/web-config.ts';
export {
  checkEnvironment,
  defineEnvironment,
  isEnvironment,
} from './define-environment.ts';
export {
  type EvaluateOptions,
  type EvaluationSummary,
  evaluateEnvironment,
} from './driver/evaluation/evaluate-environment.ts';
export { type ProcessOptions, type ProcessSummary, processEnvironment } from './driver/groups/process-environment.ts';
export type { RunProgress } from './driver/metrics/run-progress.ts';
export type { RolloutSummary } from './driver/rollout/rollout-summary.ts';
export { environmentFailure } from './driver/run/call-environment.ts';
export type { DriverOptions, RolloutIdentity } from './driver/run/driver-options.ts';
export type { RunOutcome, RunSummary } from './driver/run/run-summary.ts';
export type {
  ConfigDefaults,
  Environment,
  EnvironmentContext,
  EvaluatedRollout,
  ItemContext,
  ItemSource,
  RewardContext,
  RewardResult,
} from './environment.ts';
export { type KnownImagesRequest, listKnownImages } from './known-images.ts';
export type { MetricRecord, MetricSink } from './metric-sink.ts';
export { passAtK } from './pass-at-k.ts';
