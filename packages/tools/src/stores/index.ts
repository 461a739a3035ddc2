export type { AskUser, UserQuestion } from './clarify-tool.ts';
export type { MemoryChange, MemoryStore, MemoryTarget } from './memory/memory-store.ts';
export type { MemoryLimits } from './memory/memory-tool.ts';
export { openSqliteMemoryStore } from './memory/sqlite-memory-store.ts';
export { createTransientMemoryStore } from './memory/transient-memory-store.ts';
export type {
  SessionHit,
  SessionMessage,
  SessionQuery,
  SessionRole,
  SessionStore,
  SessionSummary,
} from './sessions/session-store.ts';
export { openSqliteSessionStore, type SqliteSessionStoreOptions } from './sessions/sqlite-session-store.ts';
export { createTransientSessionStore } from './sessions/transient-session-store.ts';
export type { SkillChange, SkillStore, SkillSummary, StoredSkill } from './skills/skill-store.ts';
export { openSqliteSkillStore } from './skills/sqlite-skill-store.ts';
export { createTransientSkillStore } from './skills/transient-skill-store.ts';
export type { StoreSource, TenantSource } from './store-access.ts';
export type { SqliteStoreOptions, StoreCallOptions } from './store-options.ts';
export { createStoreTools, type StoreToolsOptions } from './store-tools.ts';
