// Texts that need nothing to be loaded: `talaria --help` has to answer at once.

/** `talaria --help`. `builtinNames` are the environments that the program brings. */
export function mainHelp(builtinNames: readonly string[]): string {
  return `Run, score and evaluate tool-calling language models in sandboxed multi-turn tasks.

Usage: talaria <command> [arguments]

Commands:
  run ENVIRONMENT    run the training tasks and keep scored trajectories (alias: process)
  eval ENVIRONMENT   run the evaluation tasks and report metrics (alias: evaluate)
  doctor             say what is installed, what is missing, and which model servers answer
  help [COMMAND]     this text, or that of a command

ENVIRONMENT is one of: ${builtinNames.join(', ')}; or a file of your own (./my-env.ts), or an installed package.

Options:
  --help, -h         with a command and an environment: all its settings and their values
  --version          version of this program

Without a key and without a model server, \`talaria run terminal-test\` plays the reference solutions with a scripted
model. With one: talaria run terminal-test --model openai/gpt-5

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 finished in part, 130 interrupted.
`;
}

/** `talaria doctor --help`. */
export const doctorHelp = `Say what is installed, what is missing and how to get it, and which model servers answer on this machine.

Usage: talaria doctor [--json]

The exit code is 0 where everything that is required is there, else 1.
`;
