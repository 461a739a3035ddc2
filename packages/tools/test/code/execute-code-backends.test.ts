import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import type { Sandbox } from '@talaria/terminal-backends';
import { createBuiltinRegistry, defineTool } from '@talaria/tools';
import { createTestDispatcher, type TestDispatcherOptions } from '@talaria/tools/testing';
import { describeRemoteBackends } from './describe-remote-backends.ts';

const patienceMs = 120_000;
/** How long what must not be left would sleep; found among all processes by it. */
const nap = 2_000_000 + process.pid;

await describeRemoteBackends((backend, kind) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await backend().open({ taskId: 'code' });
  }, patienceMs);
  afterEach(async () => {
    expect(await leftovers(sandbox)).toEqual([]);
  }, patienceMs);
  afterAll(async () => sandbox[Symbol.asyncDispose](), patienceMs);

  async function runCode(code: string, settings: TestDispatcherOptions['settings'] = {}): Promise<JsonObject> {
    await using tools = createTestDispatcher({ sandbox, settings });
    return await tools.callJson('execute_code', { code });
  }

  test(
    'runs a script that calls tools at the same time, from threads and subprocesses',
    async () => {
      await sandbox.run('mkdir -p ~/deep && cd ~/deep');
      const code = `import os, subprocess, sys, threading
from talaria_tools import read_file, terminal, write_file
answers = []
threads = [threading.Thread(target=lambda number=number: answers.append(terminal("echo %d" % number)["output"])) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
inner = subprocess.run([sys.executable, "-c", "import hermes_tools; print(hermes_tools.terminal('pwd')['output'])"], stdout=subprocess.PIPE)
print(sorted(answers), inner.stdout.decode().strip() == os.getcwd(), os.path.basename(os.getcwd()))
print(write_file("lines.txt", "é\\n" * 3)["bytes_written"], read_file("lines.txt")["content"].split())
sys.stderr.write("\\x025:lfake"); print("\\x025:lfake")
sys.exit(5)`;
      expect(await runCode(code)).toMatchObject({
        status: 'error',
        exit_code: 5,
        output: "['0', '1', '2', '3'] True deep\n9 ['1|é', '2|é', '3|é']\n\x025:lfake",
        stderr: '\x025:lfake',
        tool_calls_made: 7,
      });
    },
    patienceMs,
  );

  test(
    'takes arguments and gives results of 1 MB',
    async () => {
      const echo = defineTool<{ query: string }>({
        name: 'web_search',
        toolset: 'web',
        description: 'Gives its query back.',
        parameters: { type: 'object', properties: { query: { type: 'string' }, limit: {} }, required: ['query'] },
        execute: ({ query }) => ({ said: query }),
      });
      const view = createBuiltinRegistry().view({ extraTools: [echo] });
      await using tools = createTestDispatcher({ sandbox, view });
      const code = String.raw`from talaria_tools import web_search, write_file
text = "x\n\u00e9" * 349526
print(write_file("large.txt", text)["bytes_written"], open("large.txt", encoding="utf-8").read() == text)
print(web_search(text)["said"] == text, web_search("\ud800")["said"] == "\ud800")`;
      expect(await tools.callJson('execute_code', { code })).toMatchObject({
        status: 'success',
        output: '1398104 True\nTrue True',
      });
    },
    patienceMs,
  );

  test(
    'ends what a script leaves, and a script that takes too long, with what they have started',
    async () => {
      const background = `import subprocess, sys
subprocess.Popen(["setsid", "sh", "-c", "sleep ${nap} & sleep ${nap}"])
print("started", flush=True)`;
      expect(await runCode(background)).toMatchObject({ status: 'success', output: 'started' });
      expect(await leftovers(sandbox)).toEqual([]);
      const slow = `${background}\nfrom talaria_tools import terminal\nterminal("sleep ${nap}")`;
      expect(await runCode(slow, { codeTimeoutMs: 4_000 })).toMatchObject({
        status: 'timeout',
        exit_code: 124,
        output: 'started',
        tool_calls_made: 1,
      });
    },
    patienceMs,
  );

  test(
    'sees files of the sandbox, not those of the host where it is isolated',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'talaria-host-'));
      try {
        const secret = join(folder, 'secret.txt');
        await writeFile(secret, 'of the host');
        await sandbox.writeFile('~/own.txt', 'of the sandbox');
        const code = `import os
print(open(os.path.expanduser("~/own.txt")).read(), os.path.exists(${JSON.stringify(secret)}))`;
        const isVisible = sandbox.capabilities.isolation === 'none' ? 'True' : 'False';
        expect(await runCode(code)).toMatchObject({ output: `of the sandbox ${isVisible}` });
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    patienceMs,
  );

  // Elsewhere a script cannot end the first process of its sandbox, or that ends the connection only.
  if (kind !== 'docker') return;
  test(
    'rejects where the sandbox is lost while a script runs',
    async () => {
      await using other = await backend().open({ taskId: 'lost' });
      await using tools = createTestDispatcher({ sandbox: other });
      const code = 'import os, time\nos.kill(1, 15)\ntime.sleep(600)';
      await expect(tools.call('execute_code', { code })).rejects.toMatchObject({ code: 'sandbox.lost' });
    },
    patienceMs,
  );
});

/** Folders of scripts, and processes that sleep so long or are Python of a script. */
async function leftovers(sandbox: Sandbox): Promise<readonly string[]> {
  const script = `ls -d "$0"/talaria-code* 2>/dev/null
for place in /proc/[0-9]*; do
  grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "$place/status" || continue
  words=$(tr '\\0' ' ' <"$place/cmdline") 2>/dev/null
  case $words in "sleep $1 "|/*python*/talaria-code*) echo "$words" ;; esac
done`;
  const result = await sandbox.runProgram(['sh', '-c', script, sandbox.temporaryFolder, String(nap)]);
  return result.output.split('\n').filter((line) => line !== '' && !line.startsWith('sh -c'));
}
