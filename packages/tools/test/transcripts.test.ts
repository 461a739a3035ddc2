import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { builtinTools, type ToolSettings } from '@talaria/tools';
import { openLocalTools } from './open-local-sandbox.ts';
import { patientClock } from './patient-clock.ts';

interface Transcript {
  readonly tool: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Partial<ToolSettings>;
  /** Commands started in the background first; `<process>` in the arguments stands for the first one's id. */
  readonly before?: readonly string[];
  readonly calls: readonly { readonly arguments: JsonObject; readonly isError: boolean; readonly result: string }[];
}

const transcripts: readonly Transcript[] = JSON.parse(
  await readFile(new URL('./vectors/transcripts.json', import.meta.url), 'utf8'),
);

// What the model sees is part of the interface: these were read by hand, and change only with a reason.
test.each(transcripts.map((transcript) => [transcript.tool, transcript] as const))(
  '%s answers as recorded',
  async (tool, { calls, files = {}, before = [], settings = {} }) => {
    await using local = await openLocalTools({ settings, clock: patientClock });
    for (const [path, content] of Object.entries(files)) await local.sandbox.writeFile(path, content);
    const home = local.sandbox.cwd;
    let processId = '<process>';
    for (const command of before) {
      processId = String((await local.tools.callJson('terminal', { command, background: true }))['session_id']);
    }
    const answers = [];
    for (const call of calls) {
      const text = JSON.stringify(call.arguments).replaceAll('<process>', processId);
      const { content, isError } = await local.tools.call(tool, text);
      const result = content
        .replaceAll(home, '<home>')
        .replaceAll(processId, '<process>')
        .replace(/"duration_seconds":[\d.]+/, '"duration_seconds":<seconds>');
      answers.push({ arguments: call.arguments, isError, result });
    }
    expect(answers).toEqual(calls);
  },
);

test('every built-in tool has at least five recorded calls', () => {
  const counts = Object.fromEntries(transcripts.map(({ tool, calls }) => [tool, calls.length]));
  for (const { definition } of builtinTools) expect(counts[definition.function.name]).toBeGreaterThanOrEqual(5);
});
