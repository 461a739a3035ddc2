/** Per command, where neither the call nor the spec names a limit. */
export const defaultTimeoutMs = 120_000;
/** Longest life of a sandbox whose spec names none. */
export const defaultLifetimeMs = 3_600_000;
