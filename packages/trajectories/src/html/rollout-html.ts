import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';
import { escapeHtml } from './escape-html.ts';
import { renderMessage } from './message-html.ts';

/** A rollout of a group, as it is shown. */
export interface ShownRollout {
  /** Unique in the page. */
  readonly id: string;
  readonly title: string;
  readonly messages: JsonValue | undefined;
  readonly score: JsonValue | undefined;
  /** What `meta.rollouts` of the group's line says of it. */
  readonly meta: JsonObject;
}

/** One rollout: its reward and facts, then its conversation. */
export function* renderRollout({ id, title, messages, score, meta }: ShownRollout): Generator<string> {
  yield `<article class="${scoreClass(score)}" id="${id}">\n<h2>${escapeHtml(title)}</h2>\n`;
  yield `<p class="reward">Reward: ${escapeHtml(scoreText(score))}${renderParts(meta['reward_components'])}</p>\n`;
  yield renderFacts(meta);
  if (isJsonObject(meta['info'])) yield renderInfo(meta['info']);
  if (Array.isArray(messages)) for (const message of messages.filter(isJsonObject)) yield* renderMessage(message);
  else if (typeof messages === 'string') yield* renderMessage({ role: 'text', content: messages });
  yield '</article>\n';
}

/** A score as text, whatever stands there. */
export function scoreText(score: JsonValue | undefined): string {
  if (typeof score === 'number') return String(Math.round(score * 10_000) / 10_000);
  return typeof score === 'string' ? score : 'none';
}

function renderParts(parts: JsonValue | undefined): string {
  if (!isJsonObject(parts)) return '';
  const shown = Object.entries(parts).map(([name, value]) => `${name} ${scoreText(value)}`);
  return shown.length === 0 ? '' : ` <span class="facts">${escapeHtml(shown.join(' · '))}</span>`;
}

function renderFacts(meta: JsonObject): string {
  const { stop_reason, turns_used, usage, wall_s, error } = meta;
  const tokens = isJsonObject(usage) ? usage['total_tokens'] : undefined;
  const facts = [
    ...(typeof stop_reason === 'string' ? [`stop reason ${stop_reason}`] : []),
    ...(typeof turns_used === 'number' ? [`turns ${turns_used}`] : []),
    ...(typeof tokens === 'number' ? [`tokens ${tokens}`] : []),
    ...(typeof wall_s === 'number' ? [`${wall_s.toFixed(1)} s`] : []),
    ...(typeof error === 'string' ? [`error: ${error}`] : []),
  ];
  return facts.length === 0 ? '' : `<p class="facts">${escapeHtml(facts.join(' · '))}</p>\n`;
}

function renderInfo(info: JsonObject): string {
  const text = escapeHtml(JSON.stringify(info, null, 2));
  return `<details class="info"><summary>Info</summary><pre>${text}</pre></details>\n`;
}

function scoreClass(score: JsonValue | undefined): string {
  if (typeof score !== 'number' || Number.isNaN(score)) return 'unknown';
  if (score === 0) return 'zero';
  return score > 0 ? 'positive' : 'negative';
}
