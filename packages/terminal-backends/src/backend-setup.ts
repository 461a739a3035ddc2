import { type Clock, type CreateId, createId, type Logger, silentLogger, systemClock } from '@talaria/core';
import type { BackendOptions } from './backend-options.ts';
import { createSandboxLedger, type SandboxLedger } from './ledger/sandbox-ledger.ts';
import { checkVariables, createSandboxEnvironment, type EnvironmentSource } from './sandbox-environment.ts';

/** What all sandboxes of one backend share, whichever it is. */
export interface BackendSetup {
  readonly ledger: SandboxLedger;
  /** Variables of this machine that may be handed on. */
  readonly source: EnvironmentSource;
  readonly killGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
}

const defaultGraceMs = 2_000;

/** Makes it of options that were checked. @throws ConfigError `config.secret-variable`, `config.invalid-variable` */
export function createBackendSetup(options: BackendOptions): BackendSetup {
  const { environment, env = {}, passthrough = [], allowSecretEnv = [] } = options;
  checkVariables(env);
  const handedOn = Object.fromEntries(passthrough.map((name) => [name, environment[name]]));
  const source = { hostEnvironment: handedOn, passthrough, allowSecretEnv };
  // A name that may not be passed on is the user's mistake, to be told of before a run starts.
  createSandboxEnvironment(source, { home: '/', temporaryFolder: '/', user: 'user' });
  return {
    ledger: createSandboxLedger(options.stateFolder),
    source,
    killGraceMs: options.killGraceMs ?? defaultGraceMs,
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    createId: options.createId ?? createId,
  };
}
