import { ConfigError, isJsonObject, type JsonObject } from '@talaria/core';
import type { SandboxCapabilities, SandboxSpec } from '@talaria/terminal-backends';
import type { TerminalConfig } from '../../configuration/terminal-config.ts';

/**
 * What the sandbox of a rollout is to be: the fields of the item (`image` or `docker_image`, `cwd`, `env`, `network`,
 * `cpu`, `memory_mb`, `disk_mb`) over those of the configuration.
 * @throws ConfigError `config.local-not-allowed` where the item asks for an image or for no network, and the backend can
 * give neither
 */
export function toSandboxSpec(
  taskId: string,
  item: JsonObject,
  config: TerminalConfig,
  capabilities: SandboxCapabilities,
): SandboxSpec {
  const itemImage = imageOf(item);
  if (itemImage !== undefined && !capabilities.images && !config.allow_local) throw needsImage(itemImage, config);
  return {
    taskId,
    image: itemImage ?? config.image ?? undefined,
    cwd: textOf(item['cwd']) ?? config.cwd ?? undefined,
    env: { ...config.env, ...textsOf(item['env']) },
    defaultTimeoutMs: config.timeout_sec * 1000,
    maxLifetimeMs: config.max_lifetime_sec * 1000,
    allowNetwork: networkOf(item, config, capabilities),
    cpus: numberOf(item['cpu']) ?? config.cpu ?? undefined,
    memoryMiB: numberOf(item['memory_mb']) ?? config.memory_mb ?? undefined,
    diskMiB: numberOf(item['disk_mb']) ?? config.disk_mb ?? undefined,
  };
}

/** What nobody can take away is not asked for where that is allowed: a backend would refuse it. */
function networkOf(item: JsonObject, config: TerminalConfig, { network }: SandboxCapabilities): boolean | undefined {
  const wanted = typeof item['network'] === 'boolean' ? item['network'] : (config.network ?? undefined);
  if (wanted !== false || network === 'controllable') return wanted;
  if (!config.allow_local) throw needsSeclusion('An item asks for no network', config);
  return undefined;
}

/**
 * Checks what can be said of all sandboxes before anything runs.
 * @throws ConfigError `config.local-not-allowed` where there is to be no network, and the backend cannot take it away
 */
export function checkNetwork(config: TerminalConfig, { network }: SandboxCapabilities): void {
  if (config.network !== false || network === 'controllable' || config.allow_local) return;
  throw needsSeclusion('terminal.network is false', config);
}

/** Whether an item may reach the network: what it says itself, else what the configuration says, else yes. */
export function isNetworkAllowed(item: JsonObject, config: Pick<TerminalConfig, 'network'>): boolean {
  const { network } = item;
  return typeof network === 'boolean' ? network : (config.network ?? true);
}

/** The image that an item asks for. */
export function imageOf(item: JsonObject): string | undefined {
  return textOf(item['image']) ?? textOf(item['docker_image']);
}

function needsImage(image: string, config: TerminalConfig): ConfigError {
  return new ConfigError(`An item asks for the image ${image}, and the backend ${config.backend} has no images`, {
    code: 'config.local-not-allowed',
    hint: 'Choose a backend with containers, or run it on this machine all the same: --allow-local.',
  });
}

function needsSeclusion(what: string, config: TerminalConfig): ConfigError {
  return new ConfigError(`${what}, and the backend ${config.backend} cannot take it away`, {
    code: 'config.local-not-allowed',
    hint: 'Choose a backend with containers, or run it with the network all the same: --allow-local.',
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  const texts = Object.entries(value).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, text] as const] : [],
  );
  return Object.fromEntries(texts);
}
