import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@talaria/core';
import { messageReasoning } from '../message-reasoning.ts';
import { escapeHtml } from './escape-html.ts';
import { renderResultText } from './result-html.ts';
import { renderSafeMarkdown } from './safe-markdown.ts';

const roleNames: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['system', 'System'],
  ['developer', 'Developer'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['tool', 'Tool'],
]);

/** One message of a group line, whoever wrote it. */
export function* renderMessage(message: JsonObject): Generator<string> {
  const { role } = message;
  const text = contentText(message['content']);
  if (role === 'tool') {
    yield renderResult(text, message['tool_call_id']);
    return;
  }
  const reasoning = messageReasoning(message);
  if (reasoning !== null) yield renderReasoning(reasoning);
  if (text !== '') {
    const name = roleNames.get(role) ?? asText(role);
    yield `<div class="message"><strong>${escapeHtml(name)}</strong>: ${renderSafeMarkdown(text)}</div>\n`;
  }
  const calls = message['tool_calls'];
  if (Array.isArray(calls)) yield* calls.filter(isJsonObject).map(renderCall);
}

function renderReasoning(reasoning: string): string {
  const summary = `Reasoning (${reasoning.length} characters)`;
  return `<details class="reasoning"><summary>${summary}</summary><pre>${escapeHtml(reasoning)}</pre></details>\n`;
}

function renderCall(call: JsonObject): string {
  const called = isJsonObject(call['function']) ? call['function'] : {};
  const facts = call['id'] === undefined ? '' : ` <span class="facts">${escapeHtml(asText(call['id']))}</span>`;
  const name = escapeHtml(asText(called['name']));
  const argumentsHtml = escapeHtml(prettyArguments(called['arguments']));
  return `<div class="message"><strong>Tool call</strong>: <code>${name}</code>${facts}<pre>${argumentsHtml}</pre></div>\n`;
}

/** Collapsed. */
function renderResult(text: string, callId: JsonValue | undefined): string {
  const facts = callId === undefined ? '' : `, ${escapeHtml(asText(callId))}`;
  const shown = renderResultText(text);
  return `<details class="result"><summary>Tool result (${text.length} characters${facts})</summary>${shown}</details>\n`;
}

function prettyArguments(value: JsonValue | undefined): string {
  if (typeof value !== 'string') return asText(value);
  const parsed = parseJson(value);
  return parsed.ok ? JSON.stringify(parsed.value, null, 2) : value;
}

function contentText(content: JsonValue | undefined): string {
  if (Array.isArray(content)) return content.map(partText).join('\n');
  return asText(content);
}

/** Parts that are not text are named: their data would be a page of its own. */
function partText(part: JsonValue): string {
  if (!isJsonObject(part)) return asText(part);
  return typeof part['text'] === 'string' ? part['text'] : `[${asText(part['type'])}]`;
}

function asText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
