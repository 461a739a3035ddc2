// A server written by hand, which does what no official one would. The first argument says what.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , mode = '', extra = ''] = process.argv;
const nested = JSON.parse(`${'{"type":"array","items":'.repeat(60)}{}${'}'.repeat(60)}`) as unknown;
const object = { type: 'object' };

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

/** Lists of tools, by the cursor of the page. */
const lists: Record<string, (cursor: string) => object> = {
  pages: (cursor) => {
    const at = cursor === '' ? 0 : Number(cursor);
    return { tools: [{ name: `tool_${at}`, inputSchema: object }], ...(at < 4 ? { nextCursor: String(at + 1) } : {}) };
  },
  circle: (cursor) => ({
    tools: [{ name: `tool_${cursor}`, inputSchema: object }],
    nextCursor: cursor === 'b' ? 'a' : 'b',
  }),
  endless: (cursor) => ({
    tools: Array.from({ length: 50 }, (_, at) => ({ name: `t${cursor}_${at}`, inputSchema: object })),
    nextCursor: `${cursor}x`,
  }),
  schemas: () => ({
    tools: [
      { name: 'good', inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x', ...object } },
      { name: 'no_schema' },
      { name: 'a_list', inputSchema: { type: 'array' } },
      { name: 'bad_keyword', inputSchema: { ...object, properties: { a: { type: 'numbr' } } } },
      { name: 'bad_pattern', inputSchema: { ...object, properties: { a: { type: 'string', pattern: '(' } } } },
      { name: 'far_reference', inputSchema: { ...object, properties: { a: { $ref: 'http://127.0.0.1:1/x' } } } },
      { name: 'deep', inputSchema: { ...object, properties: { a: nested } } },
      { name: 'long', inputSchema: { ...object, description: 'x'.repeat(200_000) } },
      { name: 7, inputSchema: object },
      'no tool',
      null,
      { name: 'also_good', description: 5, annotations: 'none', inputSchema: object },
    ],
  }),
  names: () => ({
    tools: ['a.b', 'a b', 'a_b', 'ä', `${'long'.repeat(20)}1`, `${'long'.repeat(20)}2`, 'a.b'].map((name) => ({
      name,
      inputSchema: object,
    })),
  }),
};

/** Results of a call, whatever tool it is of. */
const results: Record<string, unknown> = {
  'no-result': 'text',
  'odd-content': { content: [null, 5, { type: 'hologram' }, { type: 'text' }, { type: 'resource' }] },
  'error-in-structure': { content: [], structuredContent: { error: 'part of the answer' } },
  list: { content: [{ type: 'text', text: 'both' }], structuredContent: { a: 1 } },
};

function send(message: object): void {
  writeSync(1, `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function answer({ id, method, params }: Message): void {
  if (id === undefined) return;
  if (method === 'initialize') {
    const capabilities = mode === 'no-tools' ? {} : { tools: {} };
    const serverInfo = { name: 'raw', version: '0' };
    send({ id, result: { protocolVersion: params?.['protocolVersion'], capabilities, serverInfo } });
  } else if (method === 'tools/list') {
    if (mode === 'list-hangs') return;
    const list = lists[mode] ?? (() => ({ tools: [{ name: 'any', inputSchema: object }] }));
    send({ id, result: list(String(params?.['cursor'] ?? '')) });
  } else if (method === 'tools/call') call(id);
  else send({ id, error: { code: -32_601, message: 'no such method' } });
}

function call(id: number): void {
  if (mode === 'huge-line') {
    for (let at = 0; at < 400; at += 1) writeSync(1, 'x'.repeat(100_000));
  } else if (mode === 'refuses') send({ id, error: { code: -32_602, message: `bad arguments ${'y'.repeat(5_000)}` } });
  else if (mode === 'dies-in-call') process.kill(process.pid, 'SIGKILL');
  else if (mode === 'asks-back') {
    send({ id: 900, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
    send({ id: 901, method: 'roots/list' });
    send({ id: 9_999, result: {} });
    send({ id, result: { content: [{ type: 'text', text: 'done' }] } });
  } else if (mode === 'call-hangs') process.stderr.write('called\n');
  else send({ id, result: results[mode] ?? { content: [] } });
}

if (mode === 'exits') {
  process.stderr.write(`cannot start: ${extra}\n`);
  process.exitCode = 7;
} else {
  if (mode === 'floods-stderr') {
    for (let at = 0; at < 3_000; at += 1) writeSync(2, `line ${at} ${'z'.repeat(at === 0 ? 300_000 : 10)}\n`);
  }
  if (mode === 'chatter') writeSync(1, 'Welcome!\n{"not": "rpc"}\n\n\u0000\u0001\n');
  if (mode === 'deaf') process.on('SIGTERM', () => undefined);
  if (mode === 'deaf' || mode === 'silent') setInterval(() => undefined, 60_000);
  createInterface({ input: process.stdin }).on('line', (line) => {
    if (mode !== 'silent') answer(JSON.parse(line) as Message);
  });
}
