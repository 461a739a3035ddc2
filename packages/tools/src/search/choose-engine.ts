import type { SandboxHandle } from '@talaria/terminal-backends';
import type { ToolSettings } from '../tool.ts';
import type { ToolState, ToolStateKey } from '../tool-state.ts';
import { createBuiltinEngine } from './builtin-engine.ts';
import { createGrepEngine } from './grep-engine.ts';
import { createRipgrepEngine } from './ripgrep-engine.ts';
import type { SearchEngine } from './search-engine.ts';

const factories: Readonly<Record<SearchEngine['name'], (sandbox: SandboxHandle) => SearchEngine>> = {
  ripgrep: createRipgrepEngine,
  grep: createGrepEngine,
  builtin: createBuiltinEngine,
};

/** What each sandbox of the rollout has, found out once. */
const foundEngines: ToolStateKey<Map<string, SearchEngine['name']>> = {
  name: 'search-engines',
  create: () => new Map(),
};

/** The engine that the settings name, or the best one that the sandbox has. */
export async function chooseEngine(
  sandbox: SandboxHandle,
  settings: ToolSettings,
  state: ToolState,
  signal: AbortSignal,
): Promise<SearchEngine> {
  if (settings.searchEngine !== 'auto') return factories[settings.searchEngine](sandbox);
  const known = state.get(foundEngines);
  const name = known.get(sandbox.id) ?? (await findEngine(sandbox, signal));
  known.set(sandbox.id, name);
  return factories[name](sandbox);
}

/** Other greps than GNU's mean something else by `-Z`. */
async function findEngine(sandbox: SandboxHandle, signal: AbortSignal): Promise<SearchEngine['name']> {
  const script = 'command -v rg >/dev/null && echo has-rg; grep --version 2>/dev/null; find --version 2>/dev/null';
  const { output } = await sandbox.run(script, { isStateless: true, timeoutMs: 30_000, signal });
  signal.throwIfAborted();
  if (output.includes('has-rg')) return 'ripgrep';
  return /GNU grep/.test(output) && /GNU findutils/.test(output) ? 'grep' : 'builtin';
}
