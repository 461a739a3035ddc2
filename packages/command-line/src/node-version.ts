// Imports nothing, on purpose: it has to load where nothing else does.

/**
 * What a program says where its Node is too old to load the rest: an error and a hint, one line each. `null` where the
 * version is new enough.
 *
 * @param version - without the `v`: `process.versions.node`
 */
export function describeOldNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return null;
  return `error: Talaria needs Node 22.19 or newer; this is ${version} [config.old-node]
hint:  Install a newer one (https://nodejs.org). In a clone of the repository, \`npm run talaria -- …\` brings its own.
`;
}
