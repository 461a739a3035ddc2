import type { ToolSource } from './tool-source.ts';

/**
 * Opens the tools that remember: notes, skills and earlier sessions. In a run each rollout has empty stores of its own, so
 * that no rollout sees another's, and they are offered only where their toolsets are asked for.
 */
export async function openStoreTools(): Promise<ToolSource> {
  const { createStoreTools } = await import('@talaria/tools/stores');
  const tools = createStoreTools({
    tenant: ({ rolloutId }) => rolloutId,
    memory: 'per-rollout',
    sessions: 'per-rollout',
    skills: 'per-rollout',
  });
  return { tools, configuredTools: [] };
}
