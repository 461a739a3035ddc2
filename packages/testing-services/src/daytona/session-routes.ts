import type { JsonObject } from '@talaria/core';
import { daemonError, empty, json } from './answer.ts';
import { type ToolboxRequest, textField } from './double-request.ts';
import type { DoubleSocket } from './double-socket.ts';
import { runningRoot } from './execute-command.ts';
import { linesOf, stderrMark, stdoutMark } from './label-lines.ts';
import { environmentOf, homeOf } from './sandbox-record.ts';
import { openShellSession, type SessionCommand, type ShellSession } from './shell-session.ts';
import type { SocketHandler, ToolboxHandler } from './toolbox-handler.ts';

/** Most bytes of one message of a log. */
const messageBytes = 1024;

/** The routes of sessions. */
export function createSessionRoutes(shell: string): Readonly<Record<string, ToolboxHandler>> {
  return {
    'POST /process/session': async ({ body, sandbox }) => {
      const root = runningRoot(sandbox);
      const id = textField(body, 'sessionId');
      if (sandbox.sessions.has(id)) throw daemonError(409, 'CONFLICT', 'session already exists');
      const cwd = homeOf(sandbox);
      const folder = `${cwd}/.daytona/sessions/${id}`;
      const session = await openShellSession(id, { root, shell, cwd, env: environmentOf(sandbox, root), folder });
      sandbox.sessions.set(id, session);
      return empty(201);
    },
    'GET /process/session': async ({ sandbox }) => json([...sandbox.sessions.values()].map(sessionJson)),
    'GET /process/session/{session}': async (request) => json(sessionJson(sessionOf(request))),
    'DELETE /process/session/{session}': async (request) => {
      const session = sessionOf(request);
      await session.close();
      request.sandbox.sessions.delete(session.id);
      return empty(204);
    },
    'POST /process/session/{session}/exec': async (request) => {
      const { body } = request;
      const isAsync = body['runAsync'] === true || body['async'] === true;
      const command = await sessionOf(request).execute(textField(body, 'command'), isAsync);
      if (isAsync) return json({ cmdId: command.id }, 202);
      await command.done;
      if (command.exitCode === undefined) throw daemonError(400, 'BAD_REQUEST', 'session cancelled');
      return json({ cmdId: command.id, exitCode: command.exitCode, ...logJson(command) });
    },
    'GET /process/session/{session}/command/{command}': async (request) => json(commandJson(commandOf(request))),
    'GET /process/session/{session}/command/{command}/logs': async (request) => json(logJson(commandOf(request))),
    'POST /process/session/{session}/command/{command}/input': async (request) => {
      await commandOf(request).sendInput(textField(request.body, 'data'));
      return empty(204);
    },
  };
}

/** Sends the log of a command, and what is added to it until it ends. */
export const followLog: SocketHandler = async (request) => {
  const command = commandOf(request);
  return (socket) => {
    const stop = command.onLog((bytes) => sendPieces(socket, bytes));
    sendPieces(socket, command.log);
    socket.onClose(stop);
    void command.done.then(() => socket.close(1000));
  };
};

function sendPieces(socket: DoubleSocket, bytes: Buffer): void {
  for (let start = 0; start < bytes.length; start += messageBytes) {
    socket.send(bytes.subarray(start, start + messageBytes));
  }
}

function sessionOf({ sandbox, parameters }: ToolboxRequest): ShellSession {
  const session = sandbox.sessions.get(parameters['session'] ?? '');
  if (session === undefined) throw daemonError(404, 'SESSION_NOT_FOUND', 'session not found');
  return session;
}

function commandOf(request: ToolboxRequest): SessionCommand {
  const command = sessionOf(request).commands.get(request.parameters['command'] ?? '');
  if (command === undefined) throw daemonError(404, 'COMMAND_NOT_FOUND', 'command not found');
  return command;
}

function sessionJson(session: ShellSession): JsonObject {
  return { sessionId: session.id, commands: [...session.commands.values()].map(commandJson) };
}

function commandJson(command: SessionCommand): JsonObject {
  return { id: command.id, command: command.command, exitCode: command.exitCode };
}

function logJson(command: SessionCommand): JsonObject {
  return {
    output: linesOf(command.log, [stdoutMark, stderrMark]),
    stdout: linesOf(command.log, [stdoutMark]),
    stderr: linesOf(command.log, [stderrMark]),
  };
}
