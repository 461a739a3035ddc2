import { expect, test } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { patientClock } from '../patient-clock.ts';
import type { OpenPlace, ToolPlace } from './open-place.ts';

const isLongRun = process.env['TALARIA_LONG_RUNS'] === '1';

async function start({ tools }: ToolPlace, command: string, more: JsonObject = {}): Promise<string> {
  const result = await tools.callJson('terminal', { command, background: true, ...more });
  expect(Object.keys(result).slice(0, 5)).toEqual(['output', 'session_id', 'pid', 'exit_code', 'error']);
  expect(result).toMatchObject({ output: 'Background process started', exit_code: 0, error: null });
  expect(result['session_id']).toMatch(/^proc_[0-9a-f]{12}$/);
  return String(result['session_id']);
}

/** Declares what `process` must do on every backend. */
export function declareProcessCases(open: OpenPlace): void {
  const ask = ({ tools }: ToolPlace, action: string, id: string, more: JsonObject = {}): Promise<JsonObject> =>
    tools.callJson('process', { action, session_id: id, ...more });

  test('the exit code is the real one, and the state of the shell at the start is used and not changed', async () => {
    await using place = await open();
    await place.tools.call('terminal', { command: 'export WORD=known; mkdir sub; cd sub' });
    const id = await start(place, 'echo "$WORD $(basename "$PWD")"; export WORD=lost; cd /; exit 7');
    expect(await ask(place, 'wait', id)).toEqual({ status: 'exited', exit_code: 7, output: 'known sub' });
    const { processes } = await place.tools.callJson('process', { action: 'list' });
    const [first] = Array.isArray(processes) ? processes.filter(isJsonObject) : [];
    // Not every backend knows it.
    const pid = first?.['pid'];
    expect(pid === null || typeof pid === 'number').toBe(true);
    expect(processes).toEqual([
      {
        session_id: id,
        command: expect.stringContaining('echo "$WORD'),
        cwd: `${place.folder}/sub`,
        pid,
        started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        uptime_seconds: expect.any(Number),
        status: 'exited',
        output_preview: 'known sub',
        exit_code: 7,
      },
    ]);
    expect(await place.tools.callJson('terminal', { command: 'echo $WORD' })).toEqual({
      output: 'known',
      exit_code: 0,
      error: null,
    });
  });

  test('writes, submits and closes standard input, and tells what comes back', async () => {
    await using place = await open({ clock: patientClock });
    const id = await start(place, 'while read -r line; do echo "got $line"; done; echo over');
    expect(await ask(place, 'submit', id, { data: 'zwölf' })).toEqual({
      status: 'ok',
      bytes_written: 7,
      output: 'got zwölf\n',
    });
    expect(await ask(place, 'write', id, { data: 'a\nb\n' })).toEqual({
      status: 'ok',
      bytes_written: 4,
      output: 'got a\ngot b\n',
    });
    expect(await ask(place, 'poll', id)).toMatchObject({ session_id: id, status: 'running', new_output: '' });
    expect(await ask(place, 'close', id)).toEqual({ status: 'ok' });
    expect(await ask(place, 'wait', id)).toMatchObject({ status: 'exited', exit_code: 0 });
    expect(await ask(place, 'poll', id)).toMatchObject({ status: 'exited', new_output: 'over\n', exit_code: 0 });
    const late = await place.tools.call('process', { action: 'write', session_id: id, data: 'x' });
    expect(late).toMatchObject({ isError: true, errorKind: 'not_available' });
  });

  test('the log is addressed by lines, the end where no line is named', async () => {
    await using place = await open();
    const id = await start(place, 'seq 1 1000');
    await ask(place, 'wait', id);
    expect(await ask(place, 'log', id, { limit: 2 })).toEqual({
      session_id: id,
      status: 'exited',
      output: '999\n1000',
      total_lines: 1_000,
      showing: '2 lines',
      first_line: 998,
      exit_code: 0,
    });
    expect(await ask(place, 'log', id, { offset: 0, limit: 2 })).toMatchObject({ output: '1\n2', first_line: 0 });
    expect(await ask(place, 'log', id)).toMatchObject({ showing: '200 lines', first_line: 800 });
  });

  test('much output does not pile up, and what is gone is told', async () => {
    await using place = await open();
    const bytes = isLongRun ? 1_000_000_000 : 20_000_000;
    const id = await start(place, `yes | head -c ${bytes}; echo; echo end`);
    await ask(place, 'wait', id);
    const { content } = await place.tools.call('process', { action: 'poll', session_id: id });
    expect(content.length).toBeLessThan(12_000);
    expect(JSON.parse(content)).toMatchObject({ output_preview: expect.stringMatching(/end$/) });
    expect(await ask(place, 'log', id, { limit: 1 })).toMatchObject({ output: 'end', buffer_truncated: true });
  }, 600_000);

  test('kill ends the whole tree', async () => {
    await using place = await open();
    const id = await start(place, 'bash -c "sleep 62 & echo \\$! > child; wait" & wait');
    const childState = `while [ ! -s child ]; do :; done; grep -qs '^State:[[:space:]]*[^ZX[:space:]]' /proc/$(cat child)/status && echo alive || echo gone`;
    expect(await place.tools.callJson('terminal', { command: childState })).toMatchObject({ output: 'alive' });
    expect(await ask(place, 'kill', id)).toMatchObject({ status: 'killed', session_id: id });
    expect(await place.tools.callJson('terminal', { command: childState })).toMatchObject({ output: 'gone' });
    expect(await ask(place, 'kill', id)).toMatchObject({ status: 'already_exited' });
  });

  test('waiting has an end, and is clamped to the time limit of commands', async () => {
    await using place = await open({ settings: { terminalTimeoutMs: 1_000 } });
    const id = await start(place, 'echo hi; sleep 63');
    expect(await ask(place, 'wait', id, { timeout: 100 })).toMatchObject({
      status: 'timeout',
      timeout_note: expect.stringContaining('at most 1 s'),
    });
  });

  test('an abort ends the waiting, not the process', async () => {
    await using place = await open();
    const id = await start(place, 'sleep 63');
    const controller = new AbortController();
    const waiting = place.tools.call('process', { action: 'wait', session_id: id }, controller.signal);
    controller.abort('stop');
    await expect(waiting).rejects.toBe('stop');
    expect(await ask(place, 'poll', id)).toMatchObject({ status: 'running' });
  });

  test('a job of many hours stays visible, running and ended', async () => {
    const clock = createManualClock();
    await using place = await open({ clock });
    const id = await start(place, 'read -r line');
    await clock.advance(10 * 3_600_000);
    expect(await ask(place, 'poll', id)).toMatchObject({ status: 'running' });
    await ask(place, 'close', id);
    expect(await ask(place, 'wait', id)).toMatchObject({ status: 'exited', exit_code: 1 });
    await clock.advance(10 * 3_600_000);
    const { processes } = await place.tools.callJson('process', { action: 'list' });
    expect(processes).toEqual([expect.objectContaining({ session_id: id, status: 'exited', exit_code: 1 })]);
  });

  test('a terminal of its own is given, or its lack is told', async () => {
    await using place = await open();
    const { content } = await place.tools.call('terminal', {
      command: 'test -t 1 && echo terminal || echo pipe',
      background: true,
      pty: true,
    });
    const { session_id: id, notes } = JSON.parse(content);
    const hasPty = place.sandbox.capabilities.pty;
    expect(notes).toEqual(hasPty ? undefined : ['pty is not available here; started without one']);
    expect(await ask(place, 'wait', id)).toMatchObject({ output: hasPty ? 'terminal' : 'pipe' });
  });

  test('an end is announced once, unless it was seen', async () => {
    await using place = await open();
    const id = await start(place, 'exit 4');
    const seen = await start(place, 'exit 5');
    await ask(place, 'wait', seen);
    const notes = async (): Promise<unknown> => (await place.tools.callJson('terminal', { command: 'date' }))['notes'];
    let found = await notes();
    while (found === undefined) found = await notes();
    expect(found).toEqual([`background ${id} exited with code 4`]);
    expect(JSON.stringify((await notes()) ?? [])).not.toContain('exited');
  });

  test('ids of another task are not found, and all of a task die with it', async () => {
    await using other = await open();
    let id: string;
    {
      await using place = await open();
      id = await start(place, 'echo $$ > ../leader; sleep 64');
      for (const action of ['poll', 'kill', 'log', 'write', 'submit', 'close', 'wait']) {
        const outcome = await other.tools.call('process', { action, session_id: id, data: 'x' });
        expect(outcome).toMatchObject({ isError: true, errorKind: 'not_found' });
        expect(JSON.parse(outcome.content)).toMatchObject({
          status: 'not_found',
          error: `No process with ID ${id}. Use action=list to see those of this task.`,
        });
      }
      await place.tools.callJson('terminal', { command: 'while [ ! -s ../leader ]; do :; done' });
    }
    const state = `grep -qs '^State:[[:space:]]*[^ZX[:space:]]' /proc/$(cat ../leader)/status && echo alive || echo gone; rm ../leader`;
    expect(await other.tools.callJson('terminal', { command: state, workdir: other.folder })).toMatchObject({
      output: 'gone',
    });
  });
}
