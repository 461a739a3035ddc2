import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { builtinTools, createBuiltinRegistry, defineTool, type ToolView, toolText } from '@talaria/tools';
import { type LocalTools, type LocalToolsOptions, openLocalTools } from '../open-local-sandbox.ts';

let local: LocalTools;
beforeEach(async () => {
  local = await openLocalTools();
});
afterEach(async () => {
  expect(await leftovers(local)).toEqual([]);
  await local[Symbol.asyncDispose]();
});

/** How long what must not be left would sleep; found among all processes by it. */
const nap = 1_000_000 + process.pid;

/** What scripts have left in the sandbox: files, and processes that are Python of this sandbox or sleep so long. */
async function leftovers({ sandbox }: LocalTools): Promise<readonly string[]> {
  const files = (await sandbox.list(sandbox.temporaryFolder)).map(({ name }) => name);
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name));
  const read = (path: string) => readFile(path, 'latin1').catch(() => '');
  const processes = await Promise.all(
    pids.map(async (pid) => {
      const words = await read(`/proc/${pid}/cmdline`);
      const isPython = words.includes('python') && (await read(`/proc/${pid}/environ`)).includes(sandbox.id);
      return isPython || words.includes(String(nap)) ? [words] : [];
    }),
  );
  return [...files, ...processes.flat()];
}

async function runIn(tools: LocalTools['tools'], code: string): Promise<JsonObject> {
  return await tools.callJson('execute_code', { code });
}

const runCode = (code: string): Promise<JsonObject> => runIn(local.tools, code);

describe('a script', () => {
  test('prints, in the tracked folder, with a result of these keys in this order', async () => {
    await local.tools.call('terminal', { command: 'mkdir -p deep && cd deep' });
    const { content, isError } = await local.tools.call('execute_code', {
      code: 'import os\nprint(os.path.basename(os.getcwd()))',
    });
    expect(content.replace(/"duration_seconds":[\d.]+/, '"duration_seconds":0')).toBe(
      '{"status":"success","output":"deep","exit_code":0,"stderr":"","tool_calls_made":0,"duration_seconds":0}',
    );
    expect(isError).toBe(false);
  });

  test.each([
    ['sys.exit(3)', 3],
    ['sys.exit(0)', 0],
    ['sys.exit("in words")', 1],
    ['os._exit(7)', 7],
    ['os.kill(os.getpid(), 9)', 137],
    ['os.kill(os.getpid(), 15)', 143],
  ])('that ends by %s has exit code %i', async (end, code) => {
    const status = code === 0 ? 'success' : 'error';
    expect(await runCode(`import os, sys\nprint("before", flush=True)\n${end}`)).toMatchObject({
      status,
      exit_code: code,
      output: 'before',
    });
  });

  test('that raises has its traceback at the end of stderr, however much came before', async () => {
    const outcome = await local.tools.call('execute_code', {
      code: 'import sys\nsys.stderr.write("é" * 300000)\nraise ValueError("the cause")',
    });
    const result: JsonObject = JSON.parse(outcome.content);
    const stderr = String(result['stderr']);
    expect(outcome.isError).toBe(true);
    expect(result).toMatchObject({
      status: 'error',
      exit_code: 1,
      error: 'The script ended with exit code 1.',
      output: '',
    });
    expect(stderr).toMatch(/^\.\.\. \[\d+ of \d+ characters omitted\] \.\.\.\n/);
    expect(stderr.endsWith('ValueError: the cause')).toBe(true);
    expect(stderr.length).toBeLessThan(10_100);
    expect(result['notes']).toEqual([expect.stringMatching(/^\d+ bytes at the start of stderr were not kept$/)]);
  });

  test('can have its errors after its output, where that is set', async () => {
    await using other = await openLocalTools({ settings: { appendCodeStderr: true } });
    const code = 'import sys\nprint("out")\nsys.stderr.write("why")\nsys.exit(1)';
    expect(await runIn(other.tools, code)).toMatchObject({ output: 'out\n--- stderr ---\nwhy', stderr: 'why' });
  });

  test('of hostile source only fails', async () => {
    for (const code of ['print("\ud800")', 'print(', "'''\\", '# -*- coding: nonsense -*-\n1']) {
      expect(await runCode(code)).toMatchObject({ status: 'error', exit_code: 1, tool_calls_made: 0 });
    }
  });

  test('with a NUL character is refused', async () => {
    const outcome = await local.tools.call('execute_code', { code: 'print(1)\0\nprint(2)' });
    expect(outcome).toMatchObject({ errorKind: 'invalid_args', content: expect.stringContaining('NUL character') });
    expect(await runCode(String.raw`print(len("\0"))`)).toMatchObject({ status: 'success', output: '1' });
  });

  test('prints what is no text, and characters of any plane', async () => {
    const code = String.raw`import sys
print("naïve 🐍 \udc80 end")
sys.stdout.flush()
sys.stdout.buffer.write(b"\xff\xfe")`;
    expect(await runCode(code)).toMatchObject({ status: 'success', output: 'naïve 🐍 \\udc80 end\n\ufffd\ufffd' });
  });

  test('that prints 100 MB has its first and its last lines kept, and no more', async () => {
    const code = `import sys
print("first")
for _ in range(100): sys.stdout.write("x" * 1048576)
print("\\nlast")`;
    const result = await runCode(code);
    const output = String(result['output']);
    expect(output.startsWith('first\nxxx')).toBe(true);
    expect(output.endsWith('xxx\nlast')).toBe(true);
    expect(output.length).toBeLessThan(50_200);
    expect(result['notes']).toEqual([
      `${100 * 1_048_576 + 12 - 1_000_000} bytes in the middle of the output were not kept`,
    ]);
  });

  test('finds only its own folder before the library, whatever modules the working folder has', async () => {
    for (const name of ['json.py', 'select.py', 'os.py', 'talaria_tools.py']) {
      await local.sandbox.writeFile(name, 'raise SystemExit("wrong module")');
    }
    const code = 'import os, json, sys, talaria_tools\nprint(os.path.dirname(talaria_tools.__file__) == sys.path[0])';
    expect(await runCode(code)).toMatchObject({ status: 'success', output: 'True' });
  });

  test('has a folder that nobody else may read', async () => {
    const code =
      'import os\nfolder = os.path.dirname(os.path.abspath(__file__))\nprint(oct(os.stat(folder).st_mode)[-3:], sorted(os.listdir(folder)))';
    expect(await runCode(code)).toMatchObject({
      output: "700 ['bell', 'hermes_tools.py', 'replies', 'requests', 'script.py', 'talaria_tools.py']",
    });
  });

  test('is refused where there is no Python, with the place named', async () => {
    await using bare = await openLocalTools({ hiddenPrograms: ['python3', 'python'] });
    const outcome = await bare.tools.call('execute_code', { code: 'print(1)' });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'not_available' });
    expect(outcome.content).toContain('There is no python3 in the machine of this local sandbox');
  });

  test('is refused where Python is too old or does not start', async () => {
    for (const [program, said] of [
      [`#!/bin/sh\nprintf '\\0024:v3.5'\n`, 'is of version 3.5; 3.7 or later is needed'],
      ['#!/bin/sh\nexit 3\n', 'python3 does not start'],
    ] as const) {
      await using odd = await openLocalTools({ hiddenPrograms: ['python3', 'python'] });
      const { sandbox, tools } = odd;
      const folder = (await sandbox.run('echo "$PATH"')).output.trim();
      await sandbox.writeFile(`${folder}/python3`, program, { mode: 0o755 });
      const outcome = await tools.call('execute_code', { code: 'print(1)' });
      expect(outcome).toMatchObject({ isError: true, errorKind: 'not_available' });
      expect(outcome.content).toContain(said);
    }
  });
});

describe('the end of a script', () => {
  const background = `import subprocess, sys
subprocess.Popen(["sh", "-c", "trap '' TERM; sleep ${nap} & wait; sleep ${nap}"])
subprocess.Popen(["setsid", "env", "-i", sys.executable, "-c", "import os, time\\nif os.fork() == 0:\\n    os.setsid(); time.sleep(${nap})"]).wait()
print("started", flush=True)`;

  test('ends what it left in the background, and waits for none of it', async () => {
    expect(await runCode(background)).toMatchObject({ status: 'success', exit_code: 0, output: 'started' });
  });

  test('comes at the time limit, with children, and keeps what was printed', async () => {
    await using short = await openLocalTools({ settings: { codeTimeoutMs: 1_500 } });
    const outcome = await short.tools.call('execute_code', { code: `${background}\nwhile True: pass` });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'timeout' });
    expect(JSON.parse(outcome.content)).toMatchObject({
      status: 'timeout',
      exit_code: 124,
      output: 'started',
      error: expect.stringContaining('after 1.5 s'),
    });
    expect(await leftovers(short)).toEqual([]);
  });

  test('counts the calls that it waits for as its time', async () => {
    await using short = await openLocalTools({ settings: { codeTimeoutMs: 1_500 } });
    const code = `from talaria_tools import terminal\nterminal("sleep ${nap}")`;
    expect(await runIn(short.tools, code)).toMatchObject({ status: 'timeout', tool_calls_made: 1 });
    expect(await leftovers(short)).toEqual([]);
  });

  test('comes with an abort while a call is being made, which rejects with the reason', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const code = `from talaria_tools import terminal\nterminal("touch ~/called; sleep ${nap}")`;
    const call = local.tools.call('execute_code', { code }, controller.signal);
    while ((await local.sandbox.stat('~/called')) === null) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('does not leave calls behind that nobody waits for', async () => {
    const code = `import threading, time
from talaria_tools import terminal
threading.Thread(target=terminal, args=("touch ~/called; sleep ${nap}",), daemon=True).start()
import os
while not os.path.exists(os.path.expanduser("~/called")): time.sleep(0.01)`;
    expect(await runCode(code)).toMatchObject({ status: 'success', tool_calls_made: 1 });
  });

  test('rejects where the sandbox is closed meanwhile', async () => {
    const code = 'import os, time\nopen(os.path.expanduser("~/begun"), "w").close()\ntime.sleep(600)';
    const call = local.tools.call('execute_code', { code });
    call.catch(() => undefined);
    while ((await local.sandbox.stat('~/begun')) === null) await new Promise((resolve) => setImmediate(resolve));
    await local.sandbox[Symbol.asyncDispose]();
    await expect(call).rejects.toMatchObject({ code: 'sandbox.closed' });
    await local[Symbol.asyncDispose]();
    local = await openLocalTools();
  });
});

describe('a script that harms itself', () => {
  test('may remove its own folder, and only loses its tools', async () => {
    const code = `import os, shutil
from talaria_tools import terminal
shutil.rmtree(os.path.dirname(os.path.abspath(__file__)))
print(terminal("echo unheard")["error_kind"])`;
    expect(await runCode(code)).toMatchObject({ status: 'success', output: 'not_available', tool_calls_made: 0 });
  });

  test('may put rubbish among the requests', async () => {
    const code = `import os
from talaria_tools import terminal, _folder
requests = os.path.join(_folder, "requests")
os.mkfifo(os.path.join(requests, "a" * 32))
os.symlink("/etc/hostname", os.path.join(requests, "b" * 32))
os.mkdir(os.path.join(requests, "c" * 32))
os.symlink("/dev/zero", os.path.join(requests, "d" * 32))
with open(os.path.join(requests, "e" * 32), "w") as file: file.truncate(1 << 40)
for name, text in ("0", "no json"), ("1", "[]"), ("2", '{"tool": "execute_code", "args": {}}'), ("3", '{"tool": "process", "args": {"action": "list"}}'):
    with open(os.path.join(requests, "new"), "w") as file: file.write(text)
    os.rename(os.path.join(requests, "new"), os.path.join(requests, name * 32))
open(os.path.join(_folder, "bell"), "w").write("x" * 10000)
print(terminal("echo works")["output"])
kinds = [open(os.path.join(_folder, "replies", name * 32)).read() for name in "0123"]
print([text.split("error_kind")[1][5:17] for text in kinds])`;
    expect(await runCode(code)).toMatchObject({
      status: 'success',
      output: "works\n['invalid_args', 'invalid_args', 'not_availabl', 'not_availabl']",
      tool_calls_made: 1,
    });
  });

  test.each([
    [
      'writes into the channel itself',
      'import glob, os\nfor path in glob.glob("/proc/%d/fd/*" % os.getppid()):\n    try: open(path, "w").write("rubbish")\n    except OSError: pass',
    ],
    ['ends what looks after it', 'import os\nos.kill(os.getppid(), 9)'],
  ])('%s, and is stopped', async (_name, code) => {
    const result = await runCode(`${code}\nimport time\ntime.sleep(600)`);
    expect(result).toMatchObject({ status: 'error', exit_code: 137, error: expect.stringContaining('looks after') });
  });
});

describe('the tools of a script', () => {
  test('give parsed results, as the model would see them, and are recorded with the call', async () => {
    const code = `import hermes_tools
from talaria_tools import read_file, write_file, search_files, patch, terminal
print(write_file("a.txt", "one\\ntwo\\n")["bytes_written"])
print(patch("a.txt", "two", "three")["success"])
print(read_file("a.txt", limit=1)["content"], search_files("three")["total_count"])
print(terminal("exit 4")["exit_code"], hermes_tools.terminal("pwd", workdir="/")["output"])
print(read_file("missing.txt")["error_kind"], read_file("")["error_kind"], read_file(7)["error_kind"])`;
    const outcome = await local.tools.call('execute_code', { code });
    expect(JSON.parse(outcome.content)).toMatchObject({
      output: '8\nTrue\n1|one 1\n4 /\nnot_found invalid_args invalid_args',
      tool_calls_made: 9,
      status: 'success',
    });
    expect(outcome.nestedCalls?.map(({ toolCallId, toolName }) => [toolCallId, toolName]).slice(0, 2)).toEqual([
      ['call_1.1', 'write_file'],
      ['call_1.2', 'patch'],
    ]);
  });

  test('are none that the model does not have, also in the description', async () => {
    const registry = createBuiltinRegistry();
    const only = (...names: string[]): ToolView =>
      registry.view({
        enabled: [],
        extraTools: builtinTools.filter(({ definition }) => names.includes(definition.function.name)),
      });
    const code = 'import talaria_tools\nprint([name for name in dir(talaria_tools) if name[0] != "_"])';
    const helpers = "'json_parse', 'retry', 'shell_quote'";
    for (const [view, listed] of [
      [only('execute_code'), `[${helpers}]`],
      [only('execute_code', 'todo', 'process'), `[${helpers}]`],
      [only('execute_code', 'read_file'), `['json_parse', 'read_file', 'retry', 'shell_quote']`],
    ] as const) {
      await using other = await openLocalTools({ view });
      expect(await runIn(other.tools, code)).toMatchObject({ output: listed });
      const description = view.definitions.find(({ function: { name } }) => name === 'execute_code')?.function
        .description;
      for (const name of [
        'terminal',
        'read_file',
        'write_file',
        'patch',
        'search_files',
        'web_search',
        'web_extract',
        'process',
        'todo',
      ]) {
        expect([name, description?.includes(`${name}(`)]).toEqual([name, listed.includes(`'${name}'`)]);
      }
    }
  });

  test('are refused like any call, and lose what outlives a script', async () => {
    await using strict = await openLocalTools({
      approval: ({ toolName }) =>
        toolName === 'write_file' ? { kind: 'deny', rule: 'no writing' } : { kind: 'allow' },
    });
    const code = `from talaria_tools import _call, write_file, terminal
print(write_file("a", "b")["error"][:32])
print(_call("terminal", command="echo front", background=True, pty=True)["output"])
try: terminal("x", background=True)
except TypeError as error: print("no background")`;
    expect(await runIn(strict.tools, code)).toMatchObject({
      output: 'Blocked by the rule "no writing"\nfront\nno background',
    });
  });

  test('can be called 50 times and no more, and the script goes on', async () => {
    const code = `from talaria_tools import search_files
results = [search_files("x", path="/nowhere") for _ in range(53)]
print([index for index, result in enumerate(results) if result.get("error_kind") == "blocked"], results[-1]["error"])`;
    expect(await runCode(code)).toMatchObject({
      status: 'success',
      output: '[50, 51, 52] The script has made its 50 tool calls; no more are possible in this script.',
      tool_calls_made: 50,
    });
  });

  test('may be called by threads, forks and subprocesses at the same time, and each gets its own answer', async () => {
    const code = `import multiprocessing, subprocess, sys, threading
from talaria_tools import terminal
answers = []
def ask(number):
    return terminal("echo %d" % number)["output"]
def note(number): answers.append((number, ask(number)))
if __name__ == "__main__":
    threads = [threading.Thread(target=note, args=(number,)) for number in range(8)]
    for thread in threads: thread.start()
    with multiprocessing.get_context("fork").Pool(4) as pool: forked = pool.map(ask, range(100, 108))
    for thread in threads: thread.join()
    with multiprocessing.get_context("spawn").Pool(1) as pool: spawned = pool.map(ask, [300])
    inner = subprocess.run([sys.executable, "-c", "import hermes_tools; print(hermes_tools.terminal('echo 200')['output'])"], stdout=subprocess.PIPE)
    print(sorted(answers) == [(number, str(number)) for number in range(8)], forked == [str(number) for number in range(100, 108)], spawned, inner.stdout)`;
    expect(await runCode(code)).toMatchObject({
      status: 'success',
      output: "True True ['300'] b'200\\n'",
      tool_calls_made: 18,
    });
  });

  test('take and give what is large, of many lines, or no Unicode', async () => {
    const echo = defineTool<{ query: string }>({
      name: 'web_search',
      toolset: 'web',
      description: 'Gives its query back.',
      parameters: { type: 'object', properties: { query: { type: 'string' }, limit: {} }, required: ['query'] },
      execute: ({ query }) => ({ said: query }),
    });
    const plain = defineTool({
      name: 'web_extract',
      toolset: 'web',
      description: 'Gives text that is JSON only in its first line.',
      parameters: { type: 'object' },
      execute: () => toolText('{"a": 1}\n\n[Hint: more\nlines]'),
    });
    const options: LocalToolsOptions = { view: createBuiltinRegistry().view({ extraTools: [echo, plain] }) };
    await using other = await openLocalTools(options);
    const code = String.raw`from talaria_tools import web_search, web_extract
texts = ["\n\r\n\u2028\x00\x0212:c\x1e", "\ud800 \udfff \ud83d", "🐍é" * 1000, "x\n" * 600000, '"\\' * 10]
for text in texts: print(web_search(text)["said"] == text)
print(repr(web_extract("http://a.example")))
print(web_search("y" * 5000000)["error_kind"], web_search(float("nan"))["error_kind"], web_search(object())["error"])
class Loop(dict): pass
loop = {}; loop["x"] = loop
print(web_search(loop)["error_kind"])`;
    expect(await runIn(other.tools, code)).toMatchObject({
      status: 'success',
      output: [
        ...['True', 'True', 'True', 'True', 'True', String.raw`'{"a": 1}\n\n[Hint: more\nlines]'`],
        'too_large invalid_args The arguments of web_search are no JSON: a value of type object.',
        'invalid_args',
      ].join('\n'),
    });
  });

  test('come with helpers', async () => {
    const code = String.raw`from talaria_tools import json_parse, shell_quote, retry, terminal
import pathlib
print(json_parse('\ufeff{"a": "line\nbreak\t"}'), json_parse(b"[1]"), json_parse({"b": 2}))
print(terminal("printf %s " + shell_quote("it's $HOME; $(x)"))["output"], terminal("pwd", workdir=pathlib.Path("/usr"))["output"])
tries = []
def fails():
    tries.append(1)
    if len(tries) < 3: raise ValueError("again")
    return "done"
print(retry(fails, delay=0), len(tries))
try: retry(lambda: 1 / 0, max_attempts=2, delay=0)
except ZeroDivisionError: print("raised")`;
    expect(await runCode(code)).toMatchObject({
      output: "{'a': 'line\\nbreak\\t'} [1] {'b': 2}\nit's $HOME; $(x) /usr\ndone 3\nraised",
    });
  });
});
