import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server on loopback. */
export interface FileServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves these files, scripts and JSON, by their path, and an empty page at `/`. */
export async function serveFiles(files: ReadonlyMap<string, string>): Promise<FileServer> {
  const known = new Map([...files, ['/', '<!doctype html><title>Tool-call parsers</title>']]);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const type = path === '/' ? 'text/html' : path.endsWith('.json') ? 'application/json' : 'text/javascript';
    response.writeHead(known.has(path) ? 200 : 404, { 'content-type': `${type}; charset=utf-8` });
    response.end(known.get(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
