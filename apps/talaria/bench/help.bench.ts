import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Benchmark, median, sampleMs, spawnToEnd } from '@talaria/testing-services/bench';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const rounds = 15;

/** How long `talaria --help` takes, as it is installed, beside a Node that does nothing. */
export const benchmark: Benchmark = {
  name: 'help',
  async run() {
    await access(program);
    const bareMs = median(await sampleMs(rounds, () => spawnToEnd(process.execPath, ['-e', '0'])));
    const helpMs = median(await sampleMs(rounds, () => spawnToEnd(process.execPath, [program, '--help'])));
    return [
      {
        name: 'talaria --help beside node -e 0',
        measured: helpMs / bareMs,
        unit: 'ratio',
        limit: { kind: 'at most', value: 4 },
        note: `${helpMs.toFixed(0)} ms beside ${bareMs.toFixed(0)} ms, median of ${rounds}, built program`,
      },
    ];
  },
};
