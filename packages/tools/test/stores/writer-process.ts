// Run as a process of its own by processes.test.ts: `add FILE NAME COUNT` adds entries one by one; `hang-notes FILE` and
// `hang-session FILE` stop in the middle of a write, say so, and never end by themselves.
import { writeSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';
import { openSqliteMemoryStore, openSqliteSessionStore } from '@talaria/tools/stores';

const [, , action = '', path = '', name = '', count = '0'] = process.argv;

/** Stops this process for good once so many statements of a write have run. */
function hangAfterStatements(limit: number): void {
  let ran = 0;
  StatementSync.prototype.run = new Proxy(StatementSync.prototype.run, {
    apply(run, statement, values) {
      const result: unknown = Reflect.apply(run, statement, values);
      ran += 1;
      if (ran === limit) {
        writeSync(1, 'inside\n');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
      return result;
    },
  });
}

if (action === 'add') {
  await using store = await openSqliteMemoryStore({ path, lockTimeoutMs: 120_000 });
  for (let number = 0; number < Number(count); number += 1) {
    await store.update('tenant', 'memory', (entries) => ({ entries: [...entries, `${name}${number}`], outcome: null }));
  }
} else if (action === 'hang-notes') {
  await using store = await openSqliteMemoryStore({ path });
  hangAfterStatements(2);
  await store.update('tenant', 'memory', () => ({ entries: ['half of it', 'the rest'], outcome: null }));
} else {
  await using store = await openSqliteSessionStore({ path });
  hangAfterStatements(1);
  await store.append('tenant', 'session', [
    { role: 'user', content: 'half of it', at: 1 },
    { role: 'user', content: 'the rest', at: 2 },
  ]);
}
