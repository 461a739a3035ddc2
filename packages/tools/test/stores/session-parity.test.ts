import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createTransientSessionStore, openSqliteSessionStore } from '@talaria/tools/stores';
import fc from 'fast-check';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-stores-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const piece = fc.oneof(
  fc.constantFrom(
    'a',
    'ab',
    'Ab',
    'é',
    'e\u0301',
    'ß',
    'Straße',
    '7',
    '3.14',
    '数',
    '据库',
    'ไทย',
    'кот',
    '한국',
    '🙂',
    '\u{1fae0}',
    '\u{1e922}',
    '\u{10d00}x',
    'İ',
    ' ',
    ' ',
  ),
  fc.constantFrom(
    '"',
    '*',
    "'",
    '(',
    ')',
    'NEAR',
    'OR',
    'NOT',
    '^',
    ':',
    '-',
    '\0',
    '\ud83d',
    '_',
    '%',
    '\u200b',
    '\n',
  ),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

test('the index, reading all messages and a store in this process find the same', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.array(text, { maxLength: 6 }),
      async (said, asked) => {
        count += 1;
        const path = join(folder, `${count}.sqlite`);
        await using indexed = await openSqliteSessionStore({ path });
        await using reading = await openSqliteSessionStore({ path, fullText: false });
        await using transient = createTransientSessionStore();
        const messages = said.map((content, at) => ({ role: 'user' as const, content, at }));
        for (const [index, message] of messages.entries()) {
          await indexed.append('tenant', `s${index % 3}`, [message]);
          await transient.append('tenant', `s${index % 3}`, [message]);
        }
        for (const query of asked) {
          const found = await Promise.all(
            [indexed, reading, transient].map((store) => store.search('tenant', { text: query, limit: 5 })),
          );
          const [first, ...others] = found.map((hits) => JSON.stringify(hits));
          for (const other of others)
            if (other !== first) throw new Error(`${JSON.stringify(query)}: ${first} ${other}`);
        }
      },
    ),
    { numRuns: 60 },
  );
});
