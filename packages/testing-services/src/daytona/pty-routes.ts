import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, parseJson } from '@talaria/core';
import { AnswerError, json } from './answer.ts';
import { numberField, type ToolboxRequest, textField, textMapField } from './double-request.ts';
import { runningRoot } from './execute-command.ts';
import { openPtySession, type PtySession } from './pty-session.ts';
import { environmentOf, homeOf, type SandboxRecord } from './sandbox-record.ts';
import type { SocketHandler, ToolboxHandler } from './toolbox-handler.ts';

const variablesPrefix = 'X-Daytona-Pty-Envs~';
const maxSize = 1000;

/** What the terminal routes need. */
export interface PtyRoutesOptions {
  readonly shell: string;
  readonly nowMs: () => number;
}

/** The routes of terminals that are no WebSockets. */
export function createPtyRoutes(options: PtyRoutesOptions): Readonly<Record<string, ToolboxHandler>> {
  return {
    'POST /process/pty': async ({ body, sandbox }) => {
      const asked: PtyAsk = {
        id: textField(body, 'id'),
        cwd: typeof body['cwd'] === 'string' ? body['cwd'] : '',
        columns: numberField(body, 'cols') ?? 80,
        rows: numberField(body, 'rows') ?? 24,
        env: textMapField(body, 'envs'),
      };
      const pty = await openPty(sandbox, asked, options);
      return json({ sessionId: pty.id }, 201);
    },
    'GET /process/pty': async ({ sandbox }) => json({ sessions: [...sandbox.ptys.values()].map(ptyJson) }),
    'GET /process/pty/{pty}': async (request) => json(ptyJson(ptyOf(request))),
    'DELETE /process/pty/{pty}': async (request) => {
      await ptyOf(request).kill();
      return json({ message: 'PTY session deleted' });
    },
    'POST /process/pty/{pty}/resize': async (request) => {
      const pty = ptyOf(request);
      const [columns, rows] = [numberField(request.body, 'cols') ?? 0, numberField(request.body, 'rows') ?? 0];
      checkSize(columns, rows);
      await pty.resize(columns, rows);
      return json(ptyJson(pty));
    },
  };
}

/** The routes of terminals that are WebSockets. */
export function createPtySockets(options: PtyRoutesOptions): Readonly<Record<string, SocketHandler>> {
  return {
    'WS /process/pty/create-connect': async (request) => {
      const { query, headers, sandbox } = request;
      const asked: PtyAsk = {
        id: query.get('id') ?? '',
        cwd: query.get('cwd') ?? '',
        columns: Number(query.get('cols') ?? 80),
        rows: Number(query.get('rows') ?? 24),
        env: offeredVariables(headers['sec-websocket-protocol'] ?? ''),
      };
      const pty = await openPty(sandbox, asked, options);
      return (socket) => pty.attach(socket);
    },
    'WS /process/pty/{pty}/connect': async (request) => {
      const pty = request.sandbox.ptys.get(request.parameters['pty'] ?? '');
      return (socket) => {
        if (pty !== undefined) {
          pty.attach(socket);
          return;
        }
        const error = 'Failed to connect to PTY session: PTY session not found';
        socket.send(JSON.stringify({ type: 'control', status: 'error', error }));
        socket.close(1000);
      };
    },
  };
}

interface PtyAsk {
  readonly id: string;
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
  readonly env: Readonly<Record<string, string>>;
}

async function openPty(sandbox: SandboxRecord, asked: PtyAsk, options: PtyRoutesOptions): Promise<PtySession> {
  const root = runningRoot(sandbox);
  const { id, columns, rows } = asked;
  if (sandbox.ptys.has(id)) throw new AnswerError(409, `PTY session with ID '${id}' already exists`);
  checkSize(columns, rows);
  const cwd = asked.cwd === '' ? homeOf(sandbox) : asked.cwd;
  const env = { ...environmentOf(sandbox, root), ...asked.env };
  const nameFile = root.placeOf(`/run/daytona-pty-${randomUUID()}`);
  const pty = await openPtySession(root, { ...asked, cwd, env, shell: options.shell, nameFile }, options.nowMs());
  sandbox.ptys.set(id, pty);
  void pty.ended.then(() => sandbox.ptys.delete(id));
  return pty;
}

function checkSize(columns: number, rows: number): void {
  for (const [name, value] of Object.entries({ cols: columns, rows })) {
    if (!(value >= 1 && value <= maxSize)) throw new AnswerError(400, `invalid value for ${name} - must be below 1000`);
  }
}

function ptyOf({ sandbox, parameters }: ToolboxRequest): PtySession {
  const pty = sandbox.ptys.get(parameters['pty'] ?? '');
  if (pty === undefined) throw new AnswerError(404, 'PTY session not found');
  return pty;
}

function ptyJson(pty: PtySession): JsonObject {
  return {
    id: pty.id,
    cwd: pty.cwd,
    envs: {},
    cols: pty.columns,
    rows: pty.rows,
    createdAt: new Date(pty.createdAtMs).toISOString(),
    active: true,
    lazyStart: false,
  };
}

/** Variables travel as one of the offered protocols, so that they stay out of addresses. */
function offeredVariables(header: string): Record<string, string> {
  const offer = header
    .split(',')
    .map((part) => part.trim())
    .find((part) => part.startsWith(variablesPrefix));
  if (offer === undefined) return {};
  const parsed = parseJson(Buffer.from(offer.slice(variablesPrefix.length), 'base64url').toString('utf8'));
  return parsed.ok && isJsonObject(parsed.value) ? textMapField({ envs: parsed.value }, 'envs') : {};
}
