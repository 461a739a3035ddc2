import { realpath } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { createTestDispatcher } from '@talaria/tools/testing';
import { type LocalTools, openLocalTools } from './open-local-sandbox.ts';
import { patientClock } from './patient-clock.ts';

let local: LocalTools;
beforeEach(async () => {
  local = await openLocalTools();
});
afterEach(async () => local[Symbol.asyncDispose]());

/** Waits until a command has written its process number to a file. */
async function filled(path: string): Promise<void> {
  while (((await local.sandbox.stat(path))?.sizeBytes ?? 0) === 0)
    await new Promise((resolve) => setImmediate(resolve));
}

/** Whether the process lives whose number is in a file. One that ended and that nobody has asked about yet does not. */
async function stateOf(path: string): Promise<string> {
  const script = `grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$(cat ${path})/status" && echo alive || echo gone`;
  return (await local.sandbox.run(script, { isStateless: true })).output.trim();
}

describe('terminal', () => {
  test('gives output, exit code and error, in this order, whatever the command returned', async () => {
    const { content, isError } = await local.tools.call('terminal', { command: 'echo out; echo err >&2; exit 3' });
    expect(content).toBe('{"output":"out\\nerr","exit_code":3,"error":null}');
    expect(isError).toBe(false);
  });

  test('cd and exports stay; workdir does not', async () => {
    const { tools, sandbox } = local;
    const home = sandbox.cwd;
    await tools.call('terminal', { command: 'mkdir -p a b; export WORD=kept' });
    const there = await tools.callJson('terminal', { command: 'pwd', workdir: 'b' });
    expect(there).toEqual({ output: await realpath(`${home}/b`), exit_code: 0, error: null });
    const moved = await tools.callJson('terminal', { command: 'cd a' });
    expect(moved['cwd']).toBe(await realpath(`${home}/a`));
    const after = await tools.callJson('terminal', { command: 'basename "$PWD"; echo $WORD' });
    expect(after).toEqual({ output: 'a\nkept', exit_code: 0, error: null });
  });

  test('a workdir that is missing or hostile is only a path', async () => {
    for (const workdir of ['nowhere', '$(touch made)', "it's; touch made"]) {
      const outcome = await local.tools.call('terminal', { command: 'touch ran', workdir });
      expect(outcome).toMatchObject({ isError: true, errorKind: 'not_found' });
      expect(JSON.parse(outcome.content)).toMatchObject({
        output: '',
        exit_code: -1,
        error: expect.stringContaining(workdir),
      });
    }
    expect((await local.sandbox.list('.')).map(({ name }) => name).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  test('a command that takes too long gives 124, what it wrote, and advice', async () => {
    const outcome = await local.tools.call('terminal', { command: 'echo begun; exec sleep 60', timeout: 1 });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'timeout' });
    expect(JSON.parse(outcome.content)).toMatchObject({
      output: 'begun',
      exit_code: 124,
      error: expect.stringContaining('stopped after 1 s'),
    });
  });

  test('a server that ran out of time is recognised', async () => {
    const command = 'vite() { sleep 60; }; vite';
    const result = await local.tools.callJson('terminal', { command, timeout: 1 });
    expect(result['notes']).toEqual([expect.stringContaining('background=true')]);
  });

  test('a timeout above the limit is clamped, and told', async () => {
    await using short = await openLocalTools({ settings: { maxForegroundMs: 5_000 } });
    const result = await short.tools.callJson('terminal', { command: 'true', timeout: 900 });
    expect(result['timeout_note']).toContain('at most 5 s');
  });

  test('the abort of the rollout ends the command and rejects with its reason', async () => {
    const controller = new AbortController();
    const reason = { why: 'stop' };
    const pending = local.tools.call('terminal', { command: 'echo $$ > pid; sleep 61' }, controller.signal);
    await filled('pid');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(await stateOf('pid')).toBe('gone');
  });

  test('large output is cut in the middle, and progress lines collapse', async () => {
    const big = await local.tools.callJson('terminal', { command: 'seq 1 200000' });
    const output = String(big['output']);
    expect(output.length).toBeLessThan(50_100);
    expect(output).toMatch(/^1\n2\n/);
    expect(output).toMatch(/\n200000$/);
    expect(output).toContain('characters omitted');
    const progress = await local.tools.callJson('terminal', {
      command: "printf '1%%\\r50%%\\r\\033[32mdone\\033[0m\\n'",
    });
    expect(progress['output']).toBe('done');
  });

  test('bytes that are no text do no harm', async () => {
    const result = await local.tools.callJson('terminal', { command: 'head -c 10000 /dev/urandom; echo; echo end' });
    expect(result).toMatchObject({ exit_code: 0, output: expect.stringMatching(/end$/) });
  });

  test('the third same result in a row is noted, another output is not', async () => {
    const run = () => local.tools.callJson('terminal', { command: 'echo same' });
    expect((await run())['notes']).toBeUndefined();
    expect((await run())['notes']).toBeUndefined();
    expect((await run())['notes']).toEqual(['This command gave the same result 3 times in a row']);
    for (let round = 0; round < 4; round += 1) {
      const changing = await local.tools.callJson('terminal', { command: 'date +%N' });
      expect(changing['notes']).toBeUndefined();
    }
  });

  test('the same result is not remarked upon where repeats are nobody’s business', async () => {
    await using tools = createTestDispatcher({ sandbox: local.sandbox, settings: { repeatPolicy: 'off' } });
    for (let round = 0; round < 4; round += 1) {
      expect((await tools.callJson('terminal', { command: 'echo same' }))['notes']).toBeUndefined();
    }
  });

  test('an empty command is a wrong argument', async () => {
    for (const command of ['', '  \n ']) {
      expect((await local.tools.call('terminal', { command })).errorKind).toBe('invalid_args');
    }
  });

  test('gateway parameters of other programs are dropped', async () => {
    const outcome = await local.tools.call('terminal', {
      command: 'true',
      notify_on_complete: true,
      check_interval: 60,
    });
    expect(outcome.isError).toBe(false);
    expect(outcome.coercions).toHaveLength(2);
  });

  test('what would destroy the machine is blocked here, where nothing isolates it', async () => {
    const outcome = await local.tools.call('terminal', { command: 'sudo rm -rf "$HOME"' });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'blocked' });
    expect(JSON.parse(outcome.content)).toMatchObject({ output: '', exit_code: -1, status: 'blocked' });
  });
});

describe('process', () => {
  async function start(command: string): Promise<string> {
    const result = await local.tools.callJson('terminal', { command, background: true });
    expect(result).toMatchObject({ output: 'Background process started', exit_code: 0, error: null });
    expect(result['session_id']).toMatch(/^proc_[0-9a-f]{12}$/);
    return String(result['session_id']);
  }

  test('wait gives the real exit code and the output; poll and list agree', async () => {
    const id = await start('echo working; exit 7');
    expect(await local.tools.callJson('process', { action: 'wait', session_id: id })).toEqual({
      status: 'exited',
      exit_code: 7,
      output: 'working',
    });
    expect(await local.tools.callJson('process', { action: 'poll', session_id: id })).toMatchObject({
      status: 'exited',
      exit_code: 7,
      command: 'echo working; exit 7',
      output_preview: 'working',
      new_output: 'working\n',
    });
    const { processes } = await local.tools.callJson('process', { action: 'list' });
    expect(processes).toEqual([expect.objectContaining({ session_id: id, status: 'exited', exit_code: 7 })]);
  });

  test('poll gives only what is new', async () => {
    await local[Symbol.asyncDispose]();
    local = await openLocalTools({ clock: patientClock });
    const id = await start('while read -r line; do echo "got $line"; done');
    const first = await local.tools.callJson('process', { action: 'submit', session_id: id, data: 'one' });
    expect(first).toEqual({ status: 'ok', bytes_written: 4, output: 'got one\n' });
    const second = await local.tools.callJson('process', { action: 'submit', session_id: id, data: 'zwölf' });
    expect(second).toEqual({ status: 'ok', bytes_written: 7, output: 'got zwölf\n' });
    const poll = await local.tools.callJson('process', { action: 'poll', session_id: id });
    expect(poll).toMatchObject({ status: 'running', new_output: '' });
    expect(await local.tools.callJson('process', { action: 'close', session_id: id })).toEqual({ status: 'ok' });
    expect(await local.tools.callJson('process', { action: 'wait', session_id: id })).toMatchObject({ exit_code: 0 });
    const late = await local.tools.call('process', { action: 'write', session_id: id, data: 'x' });
    expect(late).toMatchObject({ isError: true, errorKind: 'not_available' });
  });

  test('the log is addressed by lines from 0; without offset it is the end', async () => {
    const id = await start('seq 1 1000');
    await local.tools.call('process', { action: 'wait', session_id: id });
    const log = (args: object) => local.tools.callJson('process', { action: 'log', session_id: id, ...args });
    expect(await log({ limit: 2 })).toMatchObject({
      output: '999\n1000',
      total_lines: 1_000,
      first_line: 998,
      showing: '2 lines',
    });
    expect(await log({ offset: 0, limit: 2 })).toMatchObject({ output: '1\n2', first_line: 0 });
    expect(await log({ offset: 500, limit: 1 })).toMatchObject({ output: '501' });
    expect((await log({}))['showing']).toBe('200 lines');
  });

  test('more output than is kept is told', async () => {
    const id = await start('seq 1 100000');
    await local.tools.call('process', { action: 'wait', session_id: id });
    const log = await local.tools.callJson('process', { action: 'log', session_id: id, limit: 1 });
    expect(log).toMatchObject({ output: '100000', buffer_truncated: true });
    // What the sandbox no longer holds cannot be counted in lines, only in bytes.
    const { dropped_bytes: dropped, total_lines: lines } = log;
    expect(Number(dropped) + Number(lines) * 7).toBeGreaterThan(588_895 - 14);
  });

  test('hundreds of megabytes of output do not pile up', async () => {
    const id = await start('yes | head -c 300000000; echo; echo end');
    await local.tools.call('process', { action: 'wait', session_id: id });
    const poll = await local.tools.call('process', { action: 'poll', session_id: id });
    expect(poll.content.length).toBeLessThan(12_000);
    expect(JSON.parse(poll.content)['output_preview']).toMatch(/end$/);
  });

  test('a job of many hours stays visible, running and ended', async () => {
    const clock = createManualClock();
    await using slow = await openLocalTools({ clock });
    const { session_id: id = '' } = await slow.tools.callJson('terminal', {
      command: 'read -r line',
      background: true,
    });
    await clock.advance(10 * 3_600_000);
    expect(await slow.tools.callJson('process', { action: 'poll', session_id: id })).toMatchObject({
      status: 'running',
    });
    await slow.tools.call('process', { action: 'close', session_id: id });
    await slow.tools.call('process', { action: 'wait', session_id: id });
    await clock.advance(10 * 3_600_000);
    const { processes } = await slow.tools.callJson('process', { action: 'list' });
    expect(processes).toEqual([expect.objectContaining({ session_id: id, status: 'exited', exit_code: 1 })]);
  });

  test('kill ends the whole tree', async () => {
    const id = await start('bash -c "sleep 62 & sleep 62 & wait" & echo $! > child; wait');
    await filled('child');
    expect(await local.tools.callJson('process', { action: 'kill', session_id: id })).toMatchObject({
      status: 'killed',
      session_id: id,
    });
    expect(await stateOf('child')).toBe('gone');
    expect(await local.tools.callJson('process', { action: 'kill', session_id: id })).toMatchObject({
      status: 'already_exited',
    });
  });

  test('wait is clamped to the time limit of commands', async () => {
    await using short = await openLocalTools({ settings: { terminalTimeoutMs: 300 } });
    const { session_id: id } = await short.tools.callJson('terminal', { command: 'sleep 63', background: true });
    const result = await short.tools.callJson('process', { action: 'wait', session_id: id ?? '', timeout: 100 });
    expect(result).toMatchObject({ status: 'timeout', timeout_note: expect.stringContaining('0.3 s') });
  });

  test('wait ends before the time limit of the tool, and still tells what it saw', async () => {
    await using short = await openLocalTools({ maxToolMs: 2_000 });
    const { session_id: id } = await short.tools.callJson('terminal', {
      command: 'echo hi; sleep 63',
      background: true,
    });
    const result = await short.tools.callJson('process', { action: 'wait', session_id: id ?? '' });
    expect(result).toMatchObject({ status: 'timeout', output: 'hi' });
  });

  test('a process that does not read its input does not hold up the conversation', async () => {
    await using short = await openLocalTools({ maxToolMs: 2_000 });
    const { session_id: id } = await short.tools.callJson('terminal', { command: 'sleep 63', background: true });
    const args = { action: 'write', session_id: id ?? '', data: 'x'.repeat(1_000_000) };
    const outcome = await short.tools.call('process', args);
    expect(outcome.errorKind).toBe('timeout');
    expect(JSON.parse(outcome.content)).toEqual({ status: 'error', error: expect.stringContaining('not be reading') });
  });

  test('closed input is told', async () => {
    const id = await start('sleep 63');
    await local.tools.callJson('process', { action: 'close', session_id: id });
    expect(await local.tools.call('process', { action: 'write', session_id: id, data: 'x' })).toMatchObject({
      errorKind: 'not_available',
      content: expect.stringContaining('is closed'),
    });
  });

  test('the end of a process is announced once with the next command', async () => {
    const id = await start('exit 4');
    const wait = async (): Promise<unknown> => (await local.tools.callJson('terminal', { command: 'true' }))['notes'];
    let notes = await wait();
    while (notes === undefined) notes = await wait();
    expect(notes).toEqual(expect.arrayContaining([`background ${id} exited with code 4`]));
    expect(JSON.stringify((await wait()) ?? [])).not.toContain(id);
  });

  test('ids of another task are not found', async () => {
    const id = await start('sleep 64');
    await using other = await openLocalTools();
    for (const action of ['poll', 'kill', 'log', 'write']) {
      const outcome = await other.tools.call('process', { action, session_id: id, data: 'x' });
      expect(outcome).toMatchObject({ isError: true, errorKind: 'not_found' });
      expect(JSON.parse(outcome.content)['status']).toBe('not_found');
    }
  });

  test('an action that needs an id says so', async () => {
    expect(await local.tools.call('process', { action: 'poll' })).toMatchObject({ errorKind: 'invalid_args' });
  });

  test('at most 32 run at the same time', async () => {
    for (let count = 0; count < 32; count += 1) await start('sleep 65');
    const outcome = await local.tools.call('terminal', { command: 'sleep 65', background: true });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'not_available' });
  });

  test('disposing of the dispatcher ends them all, twice over', async () => {
    await start('echo $$ > leader; sleep 66');
    await filled('leader');
    await local.tools[Symbol.asyncDispose]();
    await local.tools[Symbol.asyncDispose]();
    expect(await stateOf('leader')).toBe('gone');
  });
});
