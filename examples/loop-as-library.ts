// The agent loop as a library: a model, tools and a real sandbox, without environments, files or flags.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finalResponse, runAgentLoop } from '@talaria/agent-loop';
import { scriptedModel } from '@talaria/model-client/testing';
import { createSandboxLease } from '@talaria/terminal-backends';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createBuiltinRegistry, createToolDispatcher } from '@talaria/tools';

const stateFolder = await mkdtemp(join(tmpdir(), 'loop-as-library-'));
const backend = createLocalBackend({ stateFolder, environment: process.env });

// A real model in its place: `await createOpenAiModel({ model, apiKey })` of @talaria/model-client/openai.
const script = scriptedModel([
  { toolCalls: [{ name: 'terminal', arguments: { command: 'echo $((6 * 7))' } }] },
  { content: 'Six times seven is 42.' },
]);

async function main(): Promise<void> {
  await using model = script;
  await using lease = createSandboxLease((signal) => backend.open({ taskId: 'example' }, { signal }));
  await using tools = createToolDispatcher({
    view: createBuiltinRegistry().view({ enabled: ['terminal', 'file'] }),
    sandbox: (signal) => lease.open({ signal }),
    taskId: 'example',
    rolloutId: 'rollout_1',
  });
  const messages = [{ role: 'user', content: 'What is six times seven? Use the shell.' }] as const;
  const result = await runAgentLoop(messages, {
    model,
    tools,
    maxTurns: 5,
    onEvent: (event) => console.log(event.type),
  });
  console.log(result.stopReason, '|', finalResponse(result));
}

await main();
await rm(stateFolder, { recursive: true });
