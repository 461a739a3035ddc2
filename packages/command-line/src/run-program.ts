import { exitCodes } from './exit-code.ts';
import { mainHelp } from './help-text.ts';
import type { Host } from './host.ts';
import type { Builtins } from './load-environment.ts';

/** What the umbrella program is made of. */
export interface ProgramOptions {
  /** Environments that it knows by name. */
  readonly builtins: Builtins;
  /** Address of the `package.json` that holds its version. */
  readonly manifestUrl: URL;
}

/** Commands and what they are called as well. */
const commandNames: Readonly<Record<string, string>> = {
  run: 'run',
  process: 'run',
  eval: 'eval',
  evaluate: 'eval',
  parse: 'parse',
  tools: 'tools',
  tool: 'tools',
  distributions: 'distributions',
  distribution: 'distributions',
  sandboxes: 'sandboxes',
  sandbox: 'sandboxes',
  doctor: 'doctor',
  help: 'help',
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
};

/**
 * The program `talaria`: finds the command, runs it, and tells an error in a few lines. Everything that a command needs
 * is loaded only for it. Never rejects; gives the exit code.
 */
export async function runProgram(host: Host, options: ProgramOptions): Promise<number> {
  try {
    return await dispatch(host, options);
  } catch (error) {
    const { endWithError } = await import('./end-with-error.ts');
    return endWithError(host, error);
  }
}

async function dispatch(host: Host, options: ProgramOptions): Promise<number> {
  const [word, ...args] = commandFirst(host.argv);
  const builtinNames = Object.keys(options.builtins);
  if (word === undefined) {
    host.stderr.write(mainHelp(builtinNames));
    return exitCodes.usage;
  }
  const command = Object.hasOwn(commandNames, word) ? commandNames[word] : undefined;
  switch (command) {
    case 'run':
    case 'eval': {
      const { runNamedEnvironment } = await import('./run-named-environment.ts');
      return runNamedEnvironment(host, { command, args, builtins: options.builtins });
    }
    case 'parse': {
      const { runParse } = await import('./parse/run-parse.ts');
      return runParse(host, args);
    }
    case 'tools': {
      const { runTools } = await import('./tools/run-tools.ts');
      return runTools(host, args);
    }
    case 'distributions': {
      const { runDistributions } = await import('./distributions/run-distributions.ts');
      return runDistributions(host, args);
    }
    case 'sandboxes': {
      const { runSandboxes } = await import('./sandboxes/run-sandboxes.ts');
      return runSandboxes(host, args);
    }
    case 'doctor': {
      const { runDoctor } = await import('./doctor/run-doctor.ts');
      return runDoctor(host, args);
    }
    case 'help':
      return args[0] === undefined || args[0].startsWith('-')
        ? writeText(host, mainHelp(builtinNames))
        : dispatch({ ...host, argv: [...args, '--help'] }, options);
    case 'version': {
      const { readVersion } = await import('./read-version.ts');
      return writeText(host, `${await readVersion(options.manifestUrl)}\n`);
    }
    default: {
      const { unknownCommand } = await import('./unknown-command.ts');
      throw unknownCommand(word, Object.keys(commandNames), builtinNames);
    }
  }
}

/** Flags that stand before the command are as good as flags after it. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const isCommand = (word: string | undefined): boolean => word !== undefined && Object.hasOwn(commandNames, word);
  const index = argv.findIndex(isCommand);
  if (argv[0]?.startsWith('-') !== true || index <= 0) return argv;
  return [...argv.slice(index), ...argv.slice(0, index)];
}

function writeText(host: Host, text: string): number {
  host.stdout.write(text);
  return exitCodes.done;
}
