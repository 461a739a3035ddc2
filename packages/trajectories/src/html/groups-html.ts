import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@talaria/core';
import { escapeHtml } from './escape-html.ts';
import { renderMessage } from './message-html.ts';
import { pageStyle } from './page-style.ts';

/** A line that is not shown. */
export interface SkippedLine {
  /** 1-based, blank lines counted. */
  readonly lineNumber: number;
  readonly reason: string;
}

/** Options of {@link renderGroupsHtml}. */
export interface GroupsHtmlOptions {
  /** Stands at the top, for example the file's name. */
  readonly title: string;
  /** Hears of each line that cannot be shown. */
  readonly onSkip?: ((skipped: SkippedLine) => void) | undefined;
}

/** Lines of a group file, as text or parsed. */
export type GroupLines = Iterable<string | JsonObject> | AsyncIterable<string | JsonObject>;

interface ShownGroup {
  readonly number: number;
  readonly messageRows: readonly JsonValue[];
  readonly scores: readonly JsonValue[];
  readonly meta: JsonObject;
}

/**
 * A page that shows groups with all their rollouts, in pieces, one group in memory at a time. It is one file that loads
 * nothing and runs nothing: whatever a model wrote is escaped, and the page's policy forbids scripts. Lines that are no
 * groups are left out; where no line is one, the page says so.
 */
export async function* renderGroupsHtml(lines: GroupLines, options: GroupsHtmlOptions): AsyncGenerator<string> {
  yield pageHead(options.title);
  let lineNumber = 0;
  let groupCount = 0;
  for await (const line of lines) {
    lineNumber += 1;
    if (typeof line === 'string' && line.trim() === '') continue;
    const group = toShownGroup(line, groupCount + 1);
    if (typeof group === 'string') {
      options.onSkip?.({ lineNumber, reason: group });
      continue;
    }
    groupCount += 1;
    yield* renderGroup(group);
  }
  if (groupCount === 0) yield '<p>There is no data to show.</p>\n';
  yield '</body>\n</html>\n';
}

function pageHead(title: string): string {
  const escapedTitle = escapeHtml(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedTitle}</title>
<style>${pageStyle}</style>
</head>
<body>
<h1>${escapedTitle}</h1>
`;
}

/** The group, or in words why it cannot be shown. */
function toShownGroup(line: string | JsonObject, number: number): ShownGroup | string {
  const parsed = typeof line === 'string' ? parseJson(line) : { ok: true as const, value: line };
  if (!parsed.ok) return `not JSON: ${parsed.message}`;
  if (!isJsonObject(parsed.value)) return 'not an object';
  const { messages, scores, meta } = parsed.value;
  if (!Array.isArray(messages) || !Array.isArray(scores)) return 'it has no `messages` or no `scores`';
  if (messages.length === 0 || scores.length === 0) return 'the group is empty';
  return { number, messageRows: messages, scores, meta: isJsonObject(meta) ? meta : {} };
}

/** Unequal lengths are cut to the shorter. */
function* renderGroup(group: ShownGroup): Generator<string> {
  const facts = [group.meta['item_id'], group.meta['model']].filter((fact) => typeof fact === 'string');
  const count = Math.min(group.messageRows.length, group.scores.length);
  const scores = group.scores.slice(0, count).map(scoreText).join(', ');
  const summary = [`Group ${group.number}`, ...facts, `rewards ${scores}`].map(escapeHtml).join(' · ');
  yield `<details class="group"><summary>${summary}</summary>\n`;
  for (let index = 0; index < count; index += 1) yield* renderRollout(group, index);
  yield '</details>\n';
}

function* renderRollout(group: ShownGroup, index: number): Generator<string> {
  const score = group.scores[index];
  const id = `group-${group.number}-item-${index + 1}`;
  yield `<article class="${scoreClass(score)}" id="${id}">\n<h2>Rollout ${index + 1}</h2>\n`;
  yield renderFacts(group.meta, index);
  const messages = group.messageRows[index];
  if (Array.isArray(messages)) for (const message of messages.filter(isJsonObject)) yield* renderMessage(message);
  else if (typeof messages === 'string') yield* renderMessage({ role: 'text', content: messages });
  yield `<p class="reward">Reward: ${escapeHtml(scoreText(score))}</p>\n</article>\n`;
}

function renderFacts(meta: JsonObject, index: number): string {
  const rollouts = meta['rollouts'];
  const rollout: JsonValue | undefined = Array.isArray(rollouts) ? rollouts[index] : undefined;
  if (!isJsonObject(rollout)) return '';
  const facts = [`stop reason ${scoreText(rollout['stop_reason'])}`, `turns ${scoreText(rollout['turns_used'])}`];
  return `<p class="facts">${escapeHtml(facts.join(' · '))}</p>\n`;
}

function scoreClass(score: JsonValue | undefined): string {
  if (typeof score !== 'number' || Number.isNaN(score)) return 'unknown';
  if (score === 0) return 'zero';
  return score > 0 ? 'positive' : 'negative';
}

function scoreText(score: JsonValue | undefined): string {
  return typeof score === 'string' ? score : JSON.stringify(score ?? null);
}
