import { isSecretName, secretsInAddress } from '@talaria/config';
import { Secret } from '@talaria/core';
import type { McpServerConfig, ToolSections } from '@talaria/environments';
import type { Host } from '../host.ts';
import { toolModelSecrets } from './open-tool-model.ts';

/**
 * Keys of providers, models and servers that the tools of a configuration ask.
 * @throws ConfigError `config.missing-key`
 */
export async function collectToolSecrets(
  host: Host,
  { browser, tools, web }: ToolSections,
): Promise<readonly Secret[]> {
  const { findWebSecrets } = await import('@talaria/tools/web');
  const models = [
    web.summarizer,
    tools.vision_model,
    tools.image_model,
    tools.mixture_aggregator,
    ...tools.mixture_models,
  ].filter((name) => name !== null);
  return [
    ...findWebSecrets((name) => host.variables[name]),
    ...toolModelSecrets(host, models),
    ...secretsInAddress(browser.cdp_url ?? '').map((part) => new Secret('browser.cdp_url', part)),
    ...Object.entries(tools.mcp_servers).flatMap(([name, server]) => serverSecrets(name, server)),
  ];
}

/** Values that are secret by their name: whole, and without the scheme before them. */
function serverSecrets(server: string, { env, headers, url }: McpServerConfig): readonly Secret[] {
  const named = Object.entries({ ...env, ...headers }).filter(([name]) => isSecretName(name));
  const texts = [...named, ...secretsInAddress(url ?? '').map((part) => ['url', part] as const)];
  return texts.flatMap(([name, value]) =>
    [value, value.replace(/^(?:basic|bearer|token) +/i, '')]
      .filter((text, index, both) => text !== '' && both.indexOf(text) === index)
      .map((text) => new Secret(`${server}.${name}`, text)),
  );
}
