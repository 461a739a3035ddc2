import { type Clock, ConfigError, errorMessage, isAbortOf, type Logger, openDeadline } from '@talaria/core';
import type { SandboxTransport, TransportRequest } from '../remote/transport.ts';
import { buildCommandLine, maxCommandLineBytes } from './command-line.ts';
import { runRemoteScript } from './remote-script.ts';
import type { SshConnections } from './ssh-connections.ts';

/** What {@link createSshTransport} needs. */
export interface SshTransportParts {
  readonly connections: SshConnections;
  /** Every variable of what is started; `null` for those of a login. No secrets: they are seen by every user there. */
  readonly variables: Readonly<Record<string, string>> | null;
  /** Folder that is there as long as the sandbox is; `null` for none. */
  readonly folder: string | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxAliveCheckMs = 20_000;

/** Starts processes on the server, each in a session of SSH. */
export function createSshTransport(parts: SshTransportParts): SandboxTransport {
  const { connections, variables, folder, clock, logger } = parts;
  const prefix =
    variables === null ? [] : ['env', '-i', ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
  const transport: SandboxTransport = {
    kind: 'ssh',
    isInteractive: true,
    hasPty: true,
    async start({ words, hasStdin = false, pty = false, isUrgent = false, signal }: TransportRequest) {
      const commandLine = buildCommandLine([...prefix, ...words]);
      if (commandLine.length > maxCommandLineBytes) throw tooLongError(commandLine.length);
      return await connections.start({ commandLine, hasStdin, hasPty: pty, isUrgent, signal });
    },
    async isAlive(signal) {
      using deadline = openDeadline(clock, maxAliveCheckMs, signal);
      try {
        const script = ['[ -d "$1" ]', folder ?? '/'] as const;
        const { exitCode } = await runRemoteScript(transport, script, {
          clock,
          timeoutMs: maxAliveCheckMs,
          signal: deadline.signal,
        });
        return exitCode === 0;
      } catch (error) {
        if (!isAbortOf(error, signal)) logger.warn('ssh.no-answer', { message: errorMessage(error) });
        return false;
      }
    },
  };
  return transport;
}

function tooLongError(length: number): ConfigError {
  return new ConfigError(`A command line of ${length} bytes is too long for the SSH server`, {
    code: 'config.text-too-long',
    hint: 'Put the text into a file and run that.',
  });
}
