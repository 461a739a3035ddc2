// Records answers, telling of each once it is kept, until it is killed. Run by a test as a program.
import { createReplayProvider, openReplayStore } from '@talaria/tools/web';

const [folder = '', name = ''] = process.argv.slice(2);
const store = await openReplayStore({ mode: 'record', folder });
const provider = createReplayProvider(
  {
    name,
    search: async (query) => [
      { title: `${name} ${query}`, url: 'https://a.example/', description: 'x'.repeat(20_000) },
    ],
  },
  store,
);
for (let index = 0; ; index += 1) {
  await provider.search?.(String(index), { limit: 1 });
  process.stdout.write(`${index}\n`);
}
