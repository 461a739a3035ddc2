import type { JsonObject } from '@talaria/core';
import type { Environment } from '@talaria/environments';
import { exitCodes } from './exit-code.ts';
import type { Host } from './host.ts';
import { runMain } from './node-host.ts';

/** What the first argument may be, and what it means. */
const commandNames: Readonly<Record<string, 'run' | 'eval'>> = {
  run: 'run',
  process: 'run',
  eval: 'eval',
  evaluate: 'eval',
};

/**
 * Makes a program of an environment of your own: `run` (also where no command is given) and `eval`, with the flags that
 * `talaria run` takes. Sets the exit code of the process, and returns it; never rejects.
 *
 * @param argv - arguments after the file; those of the process by default
 * @param host - the machine; this process by default
 */
export async function runEnvironmentCli<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  argv?: readonly string[],
  host?: Host,
): Promise<number> {
  if (host !== undefined) return runOn(host, environment, argv);
  // That of a Node on which the program cannot run, until it has run.
  let exitCode: number = exitCodes.usage;
  await runMain(async (processHost) => {
    exitCode = await runOn(processHost, environment, argv);
    return exitCode;
  });
  return exitCode;
}

async function runOn<Item extends JsonObject, Config>(
  host: Host,
  environment: Environment<Item, Config>,
  argv: readonly string[] = host.argv,
): Promise<number> {
  const ownHost = { ...host, argv };
  try {
    const { command, args } = await readCommand(argv);
    const { runEnvironmentCommand } = await import('./run-environment-command.ts');
    return await runEnvironmentCommand(ownHost, {
      environment,
      driver: command === 'eval' ? 'evaluate' : 'process',
      args,
      usage: `${host.programName} ${command}`,
    });
  } catch (error) {
    const { endWithError } = await import('./end-with-error.ts');
    return endWithError(ownHost, error);
  }
}

async function readCommand(
  argv: readonly string[],
): Promise<{ readonly command: 'run' | 'eval'; readonly args: readonly string[] }> {
  const [word, ...args] = argv;
  if (word === undefined || word.startsWith('-')) return { command: 'run', args: argv };
  const command = Object.hasOwn(commandNames, word) ? commandNames[word] : undefined;
  if (command !== undefined) return { command, args };
  const { unknownCommand } = await import('./unknown-command.ts');
  throw unknownCommand(word, Object.keys(commandNames), []);
}
