/** Says of a path, relative to the context and with `/` in it, whether a build leaves it out. */
export interface IgnoreRules {
  isIgnored(path: string): boolean;
  /** Whether something inside an ignored folder may be wanted all the same. */
  readonly hasExceptions: boolean;
}

interface Rule {
  readonly pattern: RegExp;
  readonly isException: boolean;
}

/**
 * Reads a `.dockerignore`: a pattern means what it matches and all that is below; the last one that says something about a
 * path decides; `!` takes back; `*` and `?` stop at a slash, `**` does not.
 * https://docs.docker.com/build/concepts/context/#dockerignore-files
 */
export function parseDockerIgnore(text: string): IgnoreRules {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap(parseRule);
  return {
    hasExceptions: rules.some(({ isException }) => isException),
    isIgnored(path) {
      const deciding = rules.findLast(({ pattern }) => pattern.test(path));
      return deciding !== undefined && !deciding.isException;
    },
  };
}

function parseRule(line: string): readonly Rule[] {
  if (line.startsWith('#')) return [];
  const trimmed = line.trim();
  const isException = trimmed.startsWith('!');
  const path = cleanPath(isException ? trimmed.slice(1).trim() : trimmed);
  if (path === '') return [];
  return [{ pattern: new RegExp(`^${translate(path)}(?:/.*)?$`, 's'), isException }];
}

/** Takes out what means nothing: slashes at both ends, `.`, and `..` with what stands before it. */
function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

const special = /[.+^$(){}|]/;

function translate(pattern: string): string {
  let translated = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const next = pattern.charAt(at + 1);
    const classEnd = character === '[' ? pattern.indexOf(']', at + 2) : -1;
    if (character === '*' && next === '*') {
      const hasSlash = pattern.charAt(at + 2) === '/';
      translated += hasSlash ? '(?:.*/)?' : '.*';
      at += hasSlash ? 2 : 1;
    } else if (character === '*') translated += '[^/]*';
    else if (character === '?') translated += '[^/]';
    else if (character === '\\' && next !== '') {
      translated += escapeCharacter(next);
      at += 1;
    } else if (classEnd > 0) {
      translated += `(?!/)${pattern.slice(at, classEnd + 1)}`;
      at = classEnd;
    } else translated += escapeCharacter(character);
  }
  return translated;
}

function escapeCharacter(character: string): string {
  return special.test(character) || '[]\\*?/'.includes(character) ? `\\${character}` : character;
}
