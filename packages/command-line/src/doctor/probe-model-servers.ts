import { mapConcurrent, quoteShell } from '@talaria/core';
import { type Provider, providers } from '@talaria/model-client';
import type { Host } from '../host.ts';
import { listModels } from '../list-models.ts';

/** A model server that people run on their own machine. */
export type LocalModelServer = Pick<Provider, 'prefix' | 'title' | 'baseUrl'>;

/** The servers that `doctor` looks for, at the addresses that they have when nothing else is configured. */
export const localModelServers: readonly LocalModelServer[] = providers.filter(
  ({ startCommand }) => startCommand !== undefined,
);

/** What became of asking a server for its models. */
export interface ModelServerFinding extends LocalModelServer {
  /** `other`: something answers there, but not with a list of models. */
  readonly status: 'answers' | 'silent' | 'other';
  readonly models: readonly string[];
  /** The one command that uses it; `null` where it offers no model. */
  readonly command: string | null;
}

/** Longest time that a server on the same machine may take. */
const probeTimeoutMs = 1_000;

/** Asks each server for its models, all at once. */
export async function probeModelServers(
  host: Host,
  servers: readonly LocalModelServer[] = localModelServers,
): Promise<readonly ModelServerFinding[]> {
  return mapConcurrent(servers, Math.max(1, servers.length), (server) => probeServer(host, server));
}

async function probeServer(host: Host, server: LocalModelServer): Promise<ModelServerFinding> {
  const listed = await listModels(host, { baseUrl: server.baseUrl, timeoutMs: probeTimeoutMs });
  if (listed.kind !== 'models') {
    return { ...server, status: listed.kind === 'silent' ? 'silent' : 'other', models: [], command: null };
  }
  const { models } = listed;
  const [model] = models;
  const command = `${host.programName} ${quoteShell(['run', 'terminal-test', '--model', `${server.prefix}/${model ?? ''}`])}`;
  return { ...server, status: 'answers', models, command: model === undefined ? null : command };
}
