// Packs every public package into tarballs/, to be installed where the registry does not have them. Needs built packages;
// `npm run pack` builds them first.
import { mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { readWorkspace } from './workspace.ts';

const root = process.cwd();
const target = join(root, 'tarballs');
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
const published = readWorkspace(root).filter(({ isPrivate }) => !isPrivate);
for (const { name, folder } of published) {
  // The build is there already, and `prepack` would do it again for each package.
  await execa('pnpm', ['pack', '--pack-destination', target, '--ignore-scripts'], { cwd: join(root, folder) });
  console.log(`packed ${name}`);
}
console.log(`
${published.length} packages are in ${relative(root, target)}/. In a project of your own, install them all at once:

  npm install ${target}/*.tgz
`);
