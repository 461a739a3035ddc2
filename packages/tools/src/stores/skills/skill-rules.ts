/** The file that is the skill itself. */
export const skillFile = 'SKILL.md';
/** Characters of one file. */
export const maxFileChars = 100_000;
/** Files of one skill. */
export const maxFiles = 100;
/** Skills of one tenant. */
export const maxSkills = 1_000;

const maxNameChars = 64;
const maxPathChars = 256;
const namePattern = /^[a-z0-9][a-z0-9._-]*$/;

/** The folders that files beside `SKILL.md` may be in. */
export const skillFolders = ['references', 'templates', 'scripts', 'assets'] as const;

/** What is wrong with a name of a skill or a category; `undefined` for a good one. */
export function faultOfName(what: 'name' | 'category', name: string): string | undefined {
  if (name.length <= maxNameChars && namePattern.test(name)) return undefined;
  return `${what} must be 1 to ${maxNameChars} lower-case letters, digits, dots, hyphens and underscores, the first a letter or digit.`;
}

/** What is wrong with the path of a file beside `SKILL.md`; `undefined` for a good one. */
export function faultOfPath(path: string): string | undefined {
  const parts = path.split('/');
  const [folder = ''] = parts;
  if (path === '') return 'file_path is needed, such as references/api.md.';
  if (path.length > maxPathChars)
    return `file_path has ${path.length} characters; at most ${maxPathChars} are possible.`;
  if (/[\p{Cc}\\]/u.test(path)) return 'file_path holds a backslash or a control character; separate folders by /.';
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    return 'file_path must lead into the skill: no leading slash, no "..", no empty parts.';
  }
  if (!skillFolders.some((known) => known === folder) || parts.length < 2) {
    return `file_path must name a file in one of ${skillFolders.join(', ')}, such as references/api.md.`;
  }
  return undefined;
}

/** What is wrong with the size of a file; `undefined` where nothing is. */
export function faultOfSize(path: string, content: string): string | undefined {
  if (content.length <= maxFileChars) return undefined;
  return `${path} would have ${content.length} characters; at most ${maxFileChars} are possible. Split it into several files.`;
}
