import type { RootArchive } from './debian-roots.ts';
import { runProgram } from './host-programs.ts';
import { type ServiceContext, timed } from './service-context.ts';

/** Debian 12 with bash, python3, git and procps. */
export const image = 'talaria-test/debian:12';
/** BusyBox alone. */
export const shellImage = 'talaria-test/busybox:1';

const commandTimeoutMs = 30_000;
const importTimeoutMs = 180_000;
const recipeLabel = 'talaria.recipe';
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Gives an engine a command, by the program that speaks to it, and gives its output. @throws StepError */
export type EngineClient = (args: readonly string[]) => Promise<string>;

/** Makes a client; both `docker` and `podman` know the commands that are used here. */
export function createEngineClient(program: string, globalArgs: readonly string[], hint: string): EngineClient {
  return (args) =>
    runProgram(program, [...globalArgs, ...args], {
      timeoutMs: args[0] === 'import' ? importTimeoutMs : commandTimeoutMs,
      hint,
    });
}

/** Makes an image of a root, unless the engine has it by that name already. */
export async function importImage(
  context: ServiceContext,
  engine: EngineClient,
  archive: RootArchive,
  { name, shell }: { readonly name: string; readonly shell: string },
): Promise<void> {
  if ((await recipeOf(engine, name)) === archive.key) return;
  const changes = [`CMD ["${shell}"]`, `ENV PATH=${path}`, `LABEL ${recipeLabel}=${archive.key}`];
  await timed(context, `image ${name} imported`, () =>
    engine(['import', ...changes.flatMap((change) => ['--change', change]), archive.path, name]),
  );
}

/** The recipe that an image was made by, empty for one that is not of ours; `undefined` = there is no such image. */
export async function recipeOf(engine: EngineClient, name: string): Promise<string | undefined> {
  const id = await engine(['image', 'ls', '--quiet', name]);
  if (id === '') return undefined;
  return engine(['image', 'inspect', '--format', `{{with .Config.Labels}}{{index . "${recipeLabel}"}}{{end}}`, name]);
}

/** The engine's own version. */
export function versionOf(engine: EngineClient): Promise<string> {
  return engine(['version', '--format', '{{.Server.Version}}']);
}
