// Before a package is packed: no stale file of an older build may be published.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const build = spawnSync('pnpm', ['run', 'build'], { stdio: 'inherit' });
process.exit(build.status ?? 1);
