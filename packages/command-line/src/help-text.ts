// Texts that need nothing to be loaded: `talaria --help` has to answer at once.

/** `talaria --help`. `builtinNames` are the environments that the program brings. */
export function mainHelp(builtinNames: readonly string[]): string {
  return `Run, score and evaluate tool-calling language models in sandboxed multi-turn tasks.

Usage: talaria <command> [arguments]

Commands:
  run ENVIRONMENT    run the training tasks and keep scored trajectories (alias: process)
  eval ENVIRONMENT   run the evaluation tasks and report metrics (alias: evaluate)
  parse              show the tool calls in a model's text, and what is wrong with it
  tools list|show|doctor    the tools, what the model is told of them, and why some are not here
  distributions list|sample  toolsets by chance, for runs that vary them
  sandboxes ls|sweep show the sandboxes of all backends; remove what ended programs left
  doctor             say what is installed, what is missing, and which model servers answer
  help [COMMAND]     this text, or that of a command

ENVIRONMENT is one of: ${builtinNames.join(', ')}; or a file of your own (./my-env.ts), or an installed package.

Options:
  --help, -h         with a command and an environment: all its settings and their values
  --version          version of this program

Without a key and without a model server, \`talaria run terminal-test\` plays the reference solutions with a scripted
model. With one: talaria run terminal-test --model openai/gpt-4.1-mini

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 finished in part, 130 interrupted.
`;
}

/** `talaria sandboxes --help`. */
export const sandboxesHelp = `Look after sandboxes: show those of all backends, and remove what programs left that have ended.

Usage: talaria sandboxes ls [flags]       (alias: list)
       talaria sandboxes sweep [flags]    (alias: prune)

Looked at are the backend of the configuration, those of which the ledger in the folder for state holds sandboxes, and
all others that are set up on this machine.

Flags:
  --backend KIND,…       only these: local, docker, ssh, modal, singularity, daytona
  --older-than TIME      only sandboxes that are older: 90s, 30m, 2h, 1d
  --config FILE          YAML with a section terminal, as for run
  --terminal.KEY VALUE   a setting of that section
  --json                 one JSON object on standard output
  --verbose              every event

Of sweep:
  --all                  remove what running programs use, too; asks before
  --yes                  do not ask

A sandbox whose owner lives is never removed without --all. Of other machines nothing is removed before its time is over.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 some of it failed, 130 interrupted.
`;

/** `talaria tools --help`. */
export const toolsHelp = `Show the tools: what there is, what the model is told, and why some cannot be offered here.

Usage: talaria tools list [TOOLSET…] [flags]   (alias: ls)
       talaria tools show NAME… [flags]        what the model is told of a tool, or of all tools of a toolset
       talaria tools doctor [NAME…] [flags]    why a tool is not here, and what to do

Flags:
  --config FILE        YAML with sections tools, web and browser, as for run
  --tools.KEY VALUE    a setting; also --web.KEY and --browser.KEY
  --json               one JSON object on standard output
  --verbose            every event

Exit codes: 0 done, 1 a tool that is configured or named cannot be offered (doctor), 2 wrong usage or configuration.
`;

/** `talaria distributions --help`. */
export const distributionsHelp = `Show distributions of toolsets: each row of a run draws its toolsets by their percentages.

Usage: talaria distributions list [--json]
       talaria distributions sample NAME|FILE [flags]

FILE is YAML or JSON: {name, description, toolsets: {web: 50, terminal: 100}}.

Flags of sample:
  --rows N             how many rows (10)
  --seed TEXT          the same seed gives the same rows (0)
  --config FILE        YAML with sections tools, web and browser: what is configured decides what can be drawn
  --json               a JSON object for each row

Toolsets that cannot be offered here are left out before anything is drawn, and told. A row is never without a toolset.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, or nothing that could be drawn.
`;

/** `talaria doctor --help`. */
export const doctorHelp = `Say what is installed, what is missing and how to get it, and which model servers answer on this machine.

Usage: talaria doctor [--json] [--config FILE]

All six backends are looked at, as the variables and FILE configure them; nobody logs in, and nothing is changed.
The tools are looked at by talaria tools doctor.

The exit code is 0 where everything that is required is there, else 1.
`;

/** `talaria parse --help`. */
export const parseHelp = `Show the tool calls in a model's text, what else it says, and what is wrong with it.

Usage: talaria parse --parser NAME [flags] [FILE]
       talaria parse --list

The text is read from FILE, or from standard input.

Flags:
  --parser NAME        the format of the calls
  --list               all parsers, their other names, and how a call begins
  --tools FILE         JSON array of the tools that the model was told of, as a request holds it under "tools"
  --reasoning NAME     tell the reasoning before the answer apart; --list names these parsers, too
  --starts-in-reasoning, --no-starts-in-reasoning
                       whether the prompt ended inside the reasoning; the default is what is usual in the family
  --stream             show the events of a stream, while the text arrives
  --commit call|eager  with --stream: a call once it is complete (the default), or as it comes
  --delta-length N     with --stream: cut the text into pieces of N characters
  --json               one JSON object; with --stream, one JSON object per event and line

Columns count characters; start and end, in JSON, count UTF-16 units from the beginning of the text. What would act on
the terminal is shown by name, as <U+001B>.

Exit codes: 0 where nothing is wrong with the text, 1 where it has errors, 2 wrong usage.
`;

const purposes = {
  run: `Run the training tasks of an environment and keep scored trajectories (alias: process).`,
  eval: `Run the evaluation tasks of an environment and report metrics (alias: evaluate).`,
} as const;

const ownFlags = {
  run: `  --group-size N       rollouts per task
  --steps N            tasks, each a group of rollouts
  --concurrency N      groups at the same time
  --rows group|rollout what a line of the output is`,
  eval: `  --samples N          rollouts per task
  --max-items N        only the first so many tasks
  --concurrency N      rollouts at the same time`,
} as const;

/** `talaria run --help` and `talaria eval --help`, where no environment is named. */
export function commandHelp(command: 'run' | 'eval', builtinNames: readonly string[]): string {
  return `${purposes[command]}

Usage: talaria ${command} ENVIRONMENT [flags]

ENVIRONMENT is one of: ${builtinNames.join(', ')}; or a file of your own (./my-env.ts), or an installed package.

Flags that are used most:
  --model NAME         openai/gpt-4.1-mini, openrouter/VENDOR/NAME, ollama/NAME, …, or scripted
  --base-url URL       a model server of your own; --model is then sent as it is
${ownFlags[command]}
  --max-turns N        model calls per rollout
  --temperature X      of the model
  --toolsets A B       what the model may use
  --backend KIND       where commands run: local, docker, ssh, modal, singularity, daytona
  --image NAME         container image, where a task names none
  --parser NAME        format of tool calls that the model writes as text; talaria parse --list names all
  --config FILE        YAML with sections env, openai, terminal and tools
  --output DIR         folder of the run
  --resume DIR         continue the run in that folder
  --json               one JSON object on standard output at the end
  --quiet, --verbose, --plain

All flags and their values for one environment: talaria ${command} ${builtinNames[0] ?? './my-env.ts'} --help
`;
}
