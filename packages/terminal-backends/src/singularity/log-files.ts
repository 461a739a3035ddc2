import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';

/** Where each program keeps what it knows of a user, unless a variable says otherwise. */
const homes = [
  { variable: 'APPTAINER_CONFIGDIR', folder: '.apptainer' },
  { variable: 'SINGULARITY_CONFIGDIR', folder: '.singularity' },
] as const;

/** Files that an instance writes its output to, for either program; the program itself leaves them behind. */
export function logFilesOf(name: string, environment: Readonly<Record<string, string>>): readonly string[] {
  const { username, homedir } = userInfo();
  return homes.flatMap(({ variable, folder }) => {
    const base = environment[variable] || join(environment['HOME'] || homedir, folder);
    return ['err', 'out'].map((suffix) => join(base, 'instances', 'logs', hostname(), username, `${name}.${suffix}`));
  });
}
