/** What the double makes of Dockerfile commands. The base that `FROM` names is always the host's own system. */
export interface ImageRecipe {
  /** Commands of `RUN`, in order. */
  readonly steps: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workdir: string | undefined;
}

/** Reads `RUN`, `ENV` and `WORKDIR`; what else there is has no effect on a double. */
export function parseDockerfile(commands: readonly string[]): ImageRecipe {
  const steps: string[] = [];
  const environment: Record<string, string> = {};
  let workdir: string | undefined;
  for (const command of commands) {
    const [, word = '', rest = ''] = /^\s*(\w+)\s+([\s\S]*)$/.exec(command) ?? [];
    switch (word.toUpperCase()) {
      case 'RUN':
        steps.push(rest);
        break;
      case 'ENV':
        Object.assign(environment, parseVariables(rest));
        break;
      case 'WORKDIR':
        workdir = rest.trim();
        break;
    }
  }
  return { steps, environment, workdir };
}

function parseVariables(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [, name = '', quoted, plain] of text.matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g)) {
    variables[name] = quoted ?? plain ?? '';
  }
  if (Object.keys(variables).length > 0) return variables;
  const [, name = '', value = ''] = /^(\w+)\s+(.*)$/.exec(text) ?? [];
  return name === '' ? {} : { [name]: value };
}
