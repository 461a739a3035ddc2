import { type IncomingMessage, request } from 'node:http';
import { isJsonObject, parseJson } from '@talaria/core';

/** Where an engine listens without encryption. */
export type DockerEndpoint = { readonly socketPath: string } | { readonly host: string; readonly port: number };

const timeoutMs = 3_000;
/** More than any engine has to say. */
const maxAnswerChars = 100_000;

/** Asks an engine for its version; Podman's begins with that name. @throws the system's error; `ETIMEDOUT` where it is silent */
export async function askDockerVersion(endpoint: DockerEndpoint): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request({ ...endpoint, path: '/version', timeout: timeoutMs, agent: false }, resolve);
    asking.once('error', reject);
    asking.once('timeout', () => {
      const error = new Error(`no answer within ${timeoutMs} ms`);
      asking.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    });
    asking.end();
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxAnswerChars) break;
  }
  const parsed = parseJson(text);
  const answer = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const { Version: version, Components: parts } = answer;
  const isPodman = Array.isArray(parts) && parts.some((part) => isJsonObject(part) && part['Name'] === 'Podman Engine');
  if (typeof version === 'string') return isPodman ? `Podman ${version}` : version;
  throw new Error(`what answers is no Docker engine (status ${response.statusCode})`);
}
