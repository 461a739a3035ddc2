import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import fc from 'fast-check';
import { anyMessage } from '../../test/rollout-arbitrary.ts';
import { countGroups, type GroupLines, renderGroupsHtml, type SkippedLine, toGroupLine } from '../index.ts';
import { sampleRollout } from '../testing/index.ts';

async function page(lines: GroupLines, skipped: SkippedLine[] = []): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of renderGroupsHtml(lines, { title: 'groups.jsonl', onSkip: (line) => skipped.push(line) })) {
    pieces.push(piece);
  }
  return pieces.join('');
}

/** Every tag that the page may hold, whatever a model wrote. */
const allowedTags = [
  /^<!doctype html>$/,
  /^<\/?(html|head|body|title|style|h1|h2|p|div|pre|code|strong|span|summary|details|article|ul|li)>$/,
  /^<html lang="en">$/,
  /^<meta (charset="utf-8"|name="viewport" content="width=device-width, initial-scale=1")>$/,
  /^<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">$/,
  /^<(details|div|span|p) class="(group|message|reasoning|result|facts|reward|info)"( open)?>$/,
  /^<ul class="fields">$/,
  /^<article class="(positive|negative|zero|unknown)" id="group-\d+-item-\d+">$/,
];

function foreignTags(html: string): string[] {
  return (html.match(/<[^>]*>?/g) ?? []).filter((tag) => !allowedTags.some((allowed) => allowed.test(tag)));
}

const hostile = '</pre></details><script>alert(1)</script><img src=x onerror="alert(1)">\u0000`<b>`**<i>**';

describe('renderGroupsHtml', () => {
  test('shows messages, tool calls, results, reasoning and the reward with a class by its sign', async () => {
    const rewards = [1, 0, -0.5];
    const html = await page([toGroupLine(rewards.map((reward, sample) => sampleRollout({ reward, sample })))]);
    expect(html).toContain('<strong>User</strong>: What is 2 + 2?');
    expect(html).toContain('<strong>Tool call</strong>: <code>terminal</code>');
    expect(html).toContain('&quot;command&quot;: &quot;expr 2 + 2&quot;');
    expect(html).toContain('<summary>Reasoning (18 characters)</summary><pre>I will compute it.</pre>');
    expect(html).toContain('<details class="result"><summary>Tool result (28 characters, call_1)</summary>');
    expect(html.match(/<article class="\w+"/g)).toEqual([
      '<article class="positive"',
      '<article class="zero"',
      '<article class="negative"',
    ]);
    expect(html).toContain('Reward: -0.5');
    expect(foreignTags(html)).toEqual([]);
  });

  test('stands under its totals, the first group open, each rollout with its facts', async () => {
    const rollout = sampleRollout({ reward: 0.5, rewardParts: { style: 0.25 }, info: { log: '<b>' } });
    const lines = [toGroupLine([rollout, rollout]), toGroupLine([sampleRollout({ reward: 1 })]), 'no group'];
    const totals = await countGroups(lines);
    expect(totals).toEqual({ groups: 2, rollouts: 3, meanReward: 2 / 3 });
    const pieces: string[] = [];
    for await (const piece of renderGroupsHtml(lines, { title: 'words with <m>', totals })) pieces.push(piece);
    const html = pieces.join('');
    expect(html).toContain('<title>words with &lt;m&gt;</title>');
    expect(html).toContain('<p class="facts">2 groups · 3 rollouts · mean reward 0.6667</p>');
    expect(html.match(/<details class="group"( open)?>/g)).toEqual([
      '<details class="group" open>',
      '<details class="group">',
    ]);
    expect(html).toContain('Reward: 0.5 <span class="facts">style 0.25</span>');
    expect(html).toMatch(/stop reason completed · turns \d+ · tokens \d+ · [\d.]+ s/);
    expect(html).toContain('<summary>Info</summary><pre>{\n  &quot;log&quot;: &quot;&lt;b&gt;&quot;\n}</pre>');
    expect(foreignTags(html)).toEqual([]);
  });

  test('a result that is an object is shown as its output and a list', async () => {
    const content = JSON.stringify({ output: 'a\n<b>', exit_code: 0, '<k>': ['<v>'], empty: null });
    const messages = [{ role: 'tool', tool_call_id: '1', content }] as const;
    const html = await page([toGroupLine([sampleRollout({ messages })])]);
    expect(html).toContain('<pre>a\n&lt;b&gt;</pre><ul class="fields"><li>exit_code: 0</li>');
    expect(html).toContain('<li>&lt;k&gt;: [&quot;&lt;v&gt;&quot;]</li><li>empty: null</li></ul>');
    expect(foreignTags(html)).toEqual([]);
  });

  test('a long result is cut to 4000 characters and says what is missing', async () => {
    const messages = [{ role: 'tool', tool_call_id: '1', content: 'x'.repeat(10_000) }] as const;
    const html = await page([toGroupLine([sampleRollout({ messages })])]);
    expect(html.match(/x{2,}/g)?.reduce((sum, run) => sum + run.length, 0)).toBe(4000);
    expect(html).toContain('6000 of 10000 characters omitted');
  });

  test('code and strong text are readable', async () => {
    const messages = [
      { role: 'assistant', content: 'Use `a < b`, **now**:\n```js\nlet x = "<b>";\n```\nDone' },
    ] as const;
    const html = await page([toGroupLine([sampleRollout({ messages })])]);
    expect(html).toContain('Use <code>a &lt; b</code>, <strong>now</strong>:');
    expect(html).toContain('<pre>let x = &quot;&lt;b&gt;&quot;;</pre>');
  });

  test('lines that are no groups are left out and told', async () => {
    const skipped: SkippedLine[] = [];
    const good = JSON.stringify(toGroupLine([sampleRollout()]));
    const html = await page(['not json', '', '[]', '{"messages":[]}', '{"messages":[],"scores":[]}', good], skipped);
    expect(skipped.map(({ lineNumber }) => lineNumber)).toEqual([1, 3, 4, 5]);
    expect(html).toContain('Group 1');
    expect(html).not.toContain('Group 2');
  });

  test('a file without any group gives a page that says so', async () => {
    expect(await page([])).toContain('There is no data to show.');
  });

  test('unequal lengths are cut to the shorter, and rows that are plain text are shown', async () => {
    const html = await page([{ messages: ['<plain>', 'two', 'three'], scores: [1, 'high'] }]);
    expect(html.match(/<article/g)).toHaveLength(2);
    expect(html).toContain('&lt;plain&gt;');
    expect(html).toContain('class="unknown"');
  });

  test('nothing that a model, a tool or a file says becomes a tag', async () => {
    const hostileText = fc.oneof(
      fc.constant(hostile),
      fc.string({ unit: fc.constantFrom(...'<>&"\'`*/= \nab\u0000') }),
    );
    const hostileMessage = fc.record({
      role: fc.oneof(hostileText, fc.constantFrom('assistant', 'user', 'tool')),
      content: fc.oneof(
        hostileText,
        fc
          .dictionary(fc.oneof(hostileText, fc.constant('output')), hostileText)
          .map((fields) => JSON.stringify(fields)),
        fc.array(fc.record({ type: hostileText, text: hostileText }, { requiredKeys: [] })),
      ),
      reasoning: hostileText,
      tool_call_id: hostileText,
      tool_calls: fc.array(
        fc.record({ id: hostileText, function: fc.record({ name: hostileText, arguments: hostileText }) }),
      ),
    });
    const line: fc.Arbitrary<JsonObject> = fc.record({
      messages: fc.array(fc.array(fc.oneof(hostileMessage, anyMessage)), { minLength: 1 }),
      scores: fc.array(fc.oneof(hostileText, fc.double()), { minLength: 1 }),
      meta: fc.record({
        item_id: hostileText,
        model: hostileText,
        rollouts: fc.array(
          fc.record({
            stop_reason: hostileText,
            error: hostileText,
            info: fc.dictionary(hostileText, hostileText),
            reward_components: fc.dictionary(hostileText, fc.oneof(hostileText, fc.double())),
          }),
        ),
      }),
    }) as unknown as fc.Arbitrary<JsonObject>;
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 3 }), async (lines) => {
        expect(foreignTags(await page(lines))).toEqual([]);
      }),
    );
  });

  test('comes in pieces: a group is not asked for before the one in front of it was taken', async () => {
    let asked = 0;
    function* lines(): Generator<JsonObject> {
      for (;;) {
        asked += 1;
        yield toGroupLine([sampleRollout()]);
      }
    }
    let pieces = 0;
    for await (const _piece of renderGroupsHtml(lines(), { title: 'endless' })) {
      pieces += 1;
      if (pieces === 30) break;
    }
    expect(asked).toBeLessThan(10);
  });
});
