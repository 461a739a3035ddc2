import { isJsonObject, type JsonValue } from '@talaria/core';
import { escapeHtml } from './escape-html.ts';
import type { GroupTotals } from './group-totals.ts';
import { pageStyle } from './page-style.ts';
import { renderRollout, scoreText } from './rollout-html.ts';
import { type GroupLines, type ShownGroup, toShownGroup } from './shown-group.ts';

/** A line that is not shown. */
export interface SkippedLine {
  /** 1-based, blank lines counted. */
  readonly lineNumber: number;
  readonly reason: string;
}

/** Options of {@link renderGroupsHtml}. */
export interface GroupsHtmlOptions {
  /** Stands at the top, for example the names of environment and model. */
  readonly title: string;
  /** Stands below it: see `countGroups`. @default nothing */
  readonly totals?: GroupTotals | undefined;
  /** Hears of each line that cannot be shown. */
  readonly onSkip?: ((skipped: SkippedLine) => void) | undefined;
}

/**
 * A page that shows groups with all their rollouts, in pieces, one group in memory at a time. It is one file that loads
 * nothing and runs nothing: whatever a model wrote is escaped, and the page's policy forbids scripts. Lines that are no
 * groups are left out; where no line is one, the page says so.
 */
export async function* renderGroupsHtml(lines: GroupLines, options: GroupsHtmlOptions): AsyncGenerator<string> {
  yield pageHead(options);
  let lineNumber = 0;
  let groupCount = 0;
  for await (const line of lines) {
    lineNumber += 1;
    const group = toShownGroup(line);
    if (group === null) continue;
    if (typeof group === 'string') {
      options.onSkip?.({ lineNumber, reason: group });
      continue;
    }
    groupCount += 1;
    yield* renderGroup(group, groupCount);
  }
  if (groupCount === 0) yield '<p>There is no data to show.</p>\n';
  yield '</body>\n</html>\n';
}

function pageHead({ title, totals }: GroupsHtmlOptions): string {
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
${totals === undefined ? '' : `<p class="facts">${escapeHtml(describeTotals(totals))}</p>\n`}`;
}

function describeTotals({ groups, rollouts, meanReward }: GroupTotals): string {
  const counts = [countOf(groups, 'group'), countOf(rollouts, 'rollout')];
  return [...counts, `mean reward ${scoreText(meanReward)}`].join(' · ');
}

function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** The first group stands open, so that there is something to see. */
function* renderGroup({ messageRows, scores, meta }: ShownGroup, number: number): Generator<string> {
  const facts = [meta['item_id'], meta['model']].filter((fact) => typeof fact === 'string');
  const rewards = `rewards ${scores.map(scoreText).join(', ')}`;
  const summary = [`Group ${number}`, ...facts, rewards].map(escapeHtml).join(' · ');
  yield `<details class="group"${number === 1 ? ' open' : ''}><summary>${summary}</summary>\n`;
  const rollouts = Array.isArray(meta['rollouts']) ? meta['rollouts'] : [];
  for (const [index, score] of scores.entries()) {
    const rolloutMeta: JsonValue | undefined = rollouts[index];
    yield* renderRollout({
      id: `group-${number}-item-${index + 1}`,
      title: `Rollout ${index + 1}`,
      messages: messageRows[index],
      score,
      meta: isJsonObject(rolloutMeta) ? rolloutMeta : {},
    });
  }
  yield '</details>\n';
}
