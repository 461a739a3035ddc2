import { clipText, isJsonObject, type JsonObject, parseJson } from '@talaria/core';
import { z } from 'zod';
import type { ToolResult } from '../../tool.ts';
import { markedResult, toolError, toolText } from '../../tool-result.ts';

/** What a server answers to a call: as little is asked of it as is needed. */
export const callAnswer: z.ZodType<CallAnswer> = z.looseObject({
  content: z.array(z.unknown()).nullish(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().nullish(),
});

/** See {@link callAnswer}. */
export interface CallAnswer {
  readonly content?: readonly unknown[] | null | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | null | undefined;
}

/** Beyond this a text is cut; far above what a dispatcher lets a model see. */
const maxTextChars = 4_000_000;

/**
 * The result that the model sees: text as it is, structured content as JSON, and of pictures, sounds and files what they are
 * and how large.
 */
export function toToolResult({ content, structuredContent, isError }: CallAnswer): ToolResult {
  const { text } = clipText((content ?? []).map(describeBlock).join('\n'), maxTextChars);
  if (isError === true) return toolError('internal', text === '' ? 'The tool failed and did not say why.' : text);
  if (!isJsonObject(structuredContent)) return toolText(text);
  // Servers repeat what is structured as text, for clients that know text only.
  if (text === '' || isSameJson(text, structuredContent)) return markedResult(structuredContent, null);
  return markedResult({ text, structured_content: structuredContent }, null);
}

function isSameJson(text: string, structured: JsonObject): boolean {
  const parsed = parseJson(text);
  return parsed.ok && JSON.stringify(parsed.value) === JSON.stringify(structured);
}

function describeBlock(block: unknown): string {
  if (!isJsonObject(block)) return '[content that is no object; not shown]';
  const type = textOf(block['type']);
  if (type === 'text') return textOf(block['text']);
  if (type === 'image' || type === 'audio') {
    return `[${type}: ${textOf(block['mimeType'], 'unknown type')}, ${base64Size(block['data'])} bytes; not shown]`;
  }
  if (type === 'resource_link') return describeLink(block);
  if (type === 'resource' && isJsonObject(block['resource'])) return describeResource(block['resource']);
  return `[content of the type ${JSON.stringify(type.slice(0, 60))}; not shown]`;
}

function describeLink(link: JsonObject): string {
  const size = typeof link['size'] === 'number' ? `${link['size']} bytes` : '';
  const facts = [textOf(link['name']), textOf(link['mimeType']), size].filter((fact) => fact !== '');
  return `[link to a resource: ${[textOf(link['uri']), ...facts].join(', ')}]`;
}

function describeResource(resource: JsonObject): string {
  const label = `${textOf(resource['uri'])}, ${textOf(resource['mimeType'], 'unknown type')}`;
  const { text } = resource;
  if (typeof text === 'string') return `[resource: ${label}, ${text.length} characters]\n${text}`;
  return `[resource: ${label}, ${base64Size(resource['blob'])} bytes; not shown]`;
}

function textOf(value: unknown, fallback = ''): string {
  return typeof value === 'string' ? value : fallback;
}

function base64Size(data: unknown): number {
  const text = textOf(data);
  let length = text.length;
  // In a loop: a pattern would try each of a million signs that are not the end.
  while (/[=\s]/.test(text.charAt(length - 1))) length -= 1;
  return Math.floor((length * 3) / 4);
}
