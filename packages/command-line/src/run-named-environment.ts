import { ConfigError, quoteShell } from '@talaria/core';
import { exitCodes } from './exit-code.ts';
import { commandHelp } from './help-text.ts';
import type { Host } from './host.ts';
import { type Builtins, loadEnvironment } from './load-environment.ts';
import { runEnvironmentCommand } from './run-environment-command.ts';

/** A command on an environment that is named by its first argument. */
export interface NamedEnvironmentCommand {
  readonly command: 'run' | 'eval';
  /** What stands after the command. */
  readonly args: readonly string[];
  readonly builtins: Builtins;
}

/** `talaria run|eval ENVIRONMENT …`: loads the environment, then runs it. */
export async function runNamedEnvironment(host: Host, options: NamedEnvironmentCommand): Promise<number> {
  const { command, args, builtins } = options;
  const [target, ...flags] = args;
  const names = Object.keys(builtins);
  if (target === '--help' || target === '-h') {
    host.stdout.write(commandHelp(command, names));
    return exitCodes.done;
  }
  if (target === undefined || target.startsWith('-')) {
    throw new ConfigError(`talaria ${command} needs the name of an environment right after the command`, {
      code: 'config.missing-argument',
      hint: `For example: talaria ${command} ${names[0] ?? './my-env.ts'}, or talaria ${command} ./my-env.ts`,
    });
  }
  const environment = await loadEnvironment(host, target, builtins);
  return runEnvironmentCommand(host, {
    environment,
    driver: command === 'run' ? 'process' : 'evaluate',
    args: flags,
    usage: `talaria ${command} ${quoteShell([target])}`,
  });
}
