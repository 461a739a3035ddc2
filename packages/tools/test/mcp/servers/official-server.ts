// A server made with the official package, spoken to by standard input and output, or used by an HTTP server of a test.
import { spawn } from 'node:child_process';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

export function createOfficialServer(tell: (line: string) => void): McpServer {
  const server = new McpServer(
    { name: 'shop', version: '1.2.3' },
    { instructions: 'Prices are in cents.', capabilities: { logging: {} } },
  );
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({
      content: [{ type: 'text', text: JSON.stringify({ sum: a + b }) }],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool('say', { inputSchema: z.object({ text: z.string(), times: z.int().default(1) }) }, (args) => ({
    content: [{ type: 'text', text: args.text.repeat(args.times) }],
  }));
  server.registerTool('show', { description: 'Many kinds of content.' }, () => ({
    content: [
      { type: 'text', text: 'first' },
      { type: 'image', mimeType: 'image/png', data: Buffer.alloc(1_000).toString('base64') },
      { type: 'audio', mimeType: 'audio/wav', data: Buffer.alloc(10).toString('base64') },
      { type: 'resource_link', uri: 'file:///plan.md', name: 'plan', mimeType: 'text/markdown', size: 12 },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'inside' } },
      { type: 'resource', resource: { uri: 'blob://1', mimeType: 'application/zip', blob: 'AAAA' } },
    ],
  }));
  server.registerTool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'No such shelf.' }] }));
  server.registerTool('throw', {}, () => {
    throw new Error('broken shelf');
  });
  server.registerTool('wait', {}, async (context) => {
    const { progressToken } = context.mcpReq._meta ?? {};
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 1, message: 'half way' };
      await context.mcpReq.notify({ method: 'notifications/progress', params });
    }
    await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve));
    tell('was cancelled');
    return { content: [] };
  });
  server.registerTool('surroundings', {}, () => ({
    content: [{ type: 'text', text: JSON.stringify({ env: process.env, cwd: process.cwd() }) }],
  }));
  server.registerTool('exit', { inputSchema: z.object({ code: z.int() }) }, ({ code }) => {
    tell('about to exit');
    process.exit(code);
  });
  server.registerTool('pid', {}, () => ({ content: [{ type: 'text', text: String(process.pid) }] }));
  server.registerTool('grow', {}, () => {
    server.registerTool('later', {}, () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'grown' }] };
  });
  // Children that do not end by themselves: one in the session, one that left it, both deaf to SIGTERM.
  server.registerTool('breed', {}, () => {
    const pids = [false, true].map((detached) => {
      const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")';
      const child = spawn(process.execPath, ['-e', script], { detached, stdio: ['ignore', 'pipe', 'ignore'] });
      return new Promise((resolve) => child.stdout.once('data', () => resolve(child.pid)));
    });
    return Promise.all(pids).then((found) => ({ content: [{ type: 'text', text: JSON.stringify(found) }] }));
  });
  return server;
}

if (process.argv[1] === import.meta.filename) {
  const server = createOfficialServer((line) => process.stderr.write(`${line}\n`));
  await server.connect(new StdioServerTransport());
}
