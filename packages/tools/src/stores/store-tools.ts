import { ConfigError } from '@talaria/core';
import type { Tool } from '../tool.ts';
import type { ToolStateKey } from '../tool-state.ts';
import { type AskUser, createClarifyTool } from './clarify-tool.ts';
import type { MemoryStore } from './memory/memory-store.ts';
import { createMemoryTool, type MemoryLimits } from './memory/memory-tool.ts';
import { createTransientMemoryStore } from './memory/transient-memory-store.ts';
import { createSessionSearchTool } from './sessions/session-search-tool.ts';
import type { SessionStore } from './sessions/session-store.ts';
import { createTransientSessionStore } from './sessions/transient-session-store.ts';
import type { SkillStore } from './skills/skill-store.ts';
import { createSkillTools } from './skills/skill-tools.ts';
import { createTransientSkillStore } from './skills/transient-skill-store.ts';
import { type StoreSource, storeOfCall, type TenantOfCall, type TenantSource } from './store-access.ts';
import { checkStoreKey } from './store-key.ts';

/**
 * What {@link createStoreTools} takes. A tool whose store or callback is missing is hidden, with the reason. A store may be
 * `per-rollout`: empty for each rollout, and gone with it.
 */
export interface StoreToolsOptions {
  /** Whose notes, sessions and skills the tools see: one user, or what a function says of the rollout of a call. */
  readonly tenant: TenantSource;
  /** For `memory`. @default none */
  readonly memory?: StoreSource<MemoryStore> | undefined;
  /** Most characters of all notes of a target. @default 2_200 for `memory`, 1_375 for `user` */
  readonly memoryLimits?: MemoryLimits | undefined;
  /** For `session_search`. @default none */
  readonly sessions?: StoreSource<SessionStore> | undefined;
  /** The session that asks, which searches leave out. @default none */
  readonly currentSession?: string | undefined;
  /** For `skills_list`, `skill_view` and `skill_manage`. @default none */
  readonly skills?: StoreSource<SkillStore> | undefined;
  /** For `clarify`. @default none */
  readonly askUser?: AskUser | undefined;
  /** How long `clarify` waits for the user, in milliseconds. @default 600_000 */
  readonly askTimeoutMs?: number | undefined;
}

const rolloutMemory: ToolStateKey<MemoryStore> = { name: 'rollout-notes', create: createTransientMemoryStore };
const rolloutSessions: ToolStateKey<SessionStore> = { name: 'rollout-sessions', create: createTransientSessionStore };
const rolloutSkills: ToolStateKey<SkillStore> = { name: 'rollout-skills', create: createTransientSkillStore };

const defaultLimits: MemoryLimits = { memory: 2_200, user: 1_375 };

/**
 * The tools `memory`, `session_search`, `skills_list`, `skill_view`, `skill_manage` and `clarify`. They reach beyond the
 * rollout, so that their toolsets must be asked for. The stores stay the caller's to dispose of.
 *
 * @throws ConfigError `config.invalid` for a tenant that is no plain text, or a limit that is not positive
 */
export function createStoreTools(options: StoreToolsOptions): readonly Tool[] {
  const { askTimeoutMs = 600_000, askUser, currentSession, memory, sessions, skills, tenant } = options;
  const { memoryLimits: limits = defaultLimits } = options;
  if (typeof tenant === 'string') checkStoreKey('tenant', tenant);
  if (!(limits.memory > 0 && limits.user > 0 && askTimeoutMs > 0)) {
    throw new ConfigError('memoryLimits and askTimeoutMs must be greater than 0', {
      code: 'config.invalid',
      hint: 'Give numbers greater than 0.',
    });
  }
  const tenantOf: TenantOfCall = typeof tenant === 'string' ? () => tenant : tenant;
  return [
    createMemoryTool({ storeOf: storeOfCall(memory, rolloutMemory), tenantOf, limits }),
    createSessionSearchTool({ storeOf: storeOfCall(sessions, rolloutSessions), tenantOf, currentSession }),
    ...createSkillTools({ storeOf: storeOfCall(skills, rolloutSkills), tenantOf }),
    createClarifyTool({ askUser, timeoutMs: askTimeoutMs }),
  ];
}
