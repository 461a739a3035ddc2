import { connect } from 'node:net';

const timeoutMs = 3_000;
const maxBannerChars = 8_192;

/** Connects to an SSH server and reads how it introduces itself, for example `OpenSSH_9.2p1`; nobody logs in. */
export async function readSshBanner(server: { readonly host: string; readonly port: number }): Promise<string> {
  const socket = connect({ ...server, timeout: timeoutMs });
  socket.once('timeout', () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  try {
    let text = '';
    for await (const chunk of socket.setEncoding('latin1')) {
      text += String(chunk);
      // Other lines may stand before it.
      const version = /^SSH-[\d.]+-(\S+)/mu.exec(text.slice(0, text.lastIndexOf('\n') + 1))?.[1];
      if (version !== undefined) return version;
      if (text.length > maxBannerChars) break;
    }
    throw new Error('what answers is no SSH server');
  } finally {
    socket.destroy();
  }
}
