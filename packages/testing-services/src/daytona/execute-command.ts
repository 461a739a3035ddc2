import type { Clock } from '@talaria/core';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import { type Answer, AnswerError, daemonError, json } from './answer.ts';
import { numberField, type ToolboxRequest, textField, textMapField } from './double-request.ts';
import { environmentOf, homeOf, type SandboxRecord } from './sandbox-record.ts';

/** Longest run of a command for which the call names no limit. */
const defaultTimeoutSeconds = 360;

/** The root of a sandbox that runs. @throws AnswerError 400 */
export function runningRoot(record: SandboxRecord): SandboxRoot {
  if (record.state === 'started' && record.root?.isRunning === true) return record.root;
  throw new AnswerError(400, 'bad request: no IP address found. Is the Sandbox started?', { source: 'DAYTONA_PROXY' });
}

/**
 * Serves `POST /process/execute` as the daemon does: a shell reads the command from its standard input, both streams
 * flow into one text, and the answer comes when that is closed, by background programs too. A caller that goes away
 * stops nothing.
 */
export async function executeCommand(request: ToolboxRequest, shell: string, clock: Clock): Promise<Answer> {
  const { body, sandbox } = request;
  const root = runningRoot(sandbox);
  const command = textField(body, 'command');
  const cwd = typeof body['cwd'] === 'string' && body['cwd'] !== '' ? body['cwd'] : homeOf(sandbox);
  const timeoutSeconds = numberField(body, 'timeout') ?? defaultTimeoutSeconds;
  const started = await root
    .spawn([shell], { cwd, env: { ...environmentOf(sandbox, root), ...textMapField(body, 'envs') }, mergeStderr: true })
    .catch((error: unknown) => {
      throw daemonError(400, 'BAD_REQUEST', `failed to start command: ${String(error)}`);
    });
  started.stdin.end(command);
  started.stderr.resume();
  const output: Buffer[] = [];
  started.stdout.on('data', (chunk) => output.push(chunk));
  const closed = new Promise<'closed'>((resolve) => started.stdout.once('close', () => resolve('closed')));
  const waiting = new AbortController();
  // In the background, since a program that starts while its sandbox goes away may never be heard of again.
  const limitMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  const expired = clock.sleep(limitMs, { isBackground: true, signal: waiting.signal }).then(() => 'expired' as const);
  expired.catch(() => {});
  const outcome = await Promise.race([closed, expired]);
  waiting.abort();
  if (outcome === 'expired') {
    await started.signal('SIGKILL');
    throw daemonError(408, 'PROCESS_EXECUTION_TIMEOUT', 'command execution timeout');
  }
  return json({ exitCode: await started.exited, result: Buffer.concat(output).toString('utf8') });
}
