import { createHash } from 'node:crypto';
import { clipText, errorMessage, isAbortOf, isTalariaError, type Logger, parseJson } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { shortenJson } from './shorten-json.ts';
import type { Tool } from './tool.ts';

/** How much of tool results the model sees. Lengths are UTF-16 units. */
export interface ResultLimits {
  /** For tools that name no limit themselves. @default 100_000 */
  readonly defaultResultChars: number;
  /** All results of one turn together. @default 200_000 */
  readonly turnBudgetChars: number;
  /** What is shown of a result that was stored. @default 1_500 */
  readonly previewChars: number;
  /** Limits by the name of the tool, before the tool's own. @default none */
  readonly overrides: Readonly<Record<string, number>>;
}

/** What {@link ResultLimits} are where nothing else is said. */
export const defaultResultLimits: ResultLimits = {
  defaultResultChars: 100_000,
  turnBudgetChars: 200_000,
  previewChars: 1_500,
  overrides: {},
};

/** A result as the model sees it, and where the whole of it is. */
export interface StoredResult {
  readonly content: string;
  readonly storedAt: string | null;
}

/** The limit of one tool's results. A tool without any limit (`Infinity`) keeps that, whatever the overrides say. */
export function resultLimitOf(tool: Tool, limits: ResultLimits): number {
  if (tool.maxResultChars === Number.POSITIVE_INFINITY) return tool.maxResultChars;
  const { name } = tool.definition.function;
  const override = Object.hasOwn(limits.overrides, name) ? limits.overrides[name] : undefined;
  return override ?? tool.maxResultChars ?? limits.defaultResultChars;
}

/** What {@link storeResult} needs to know. */
export interface StoreResultOptions {
  readonly toolCallId: string;
  readonly rolloutId: string;
  readonly previewChars: number;
  /** What is kept where the result cannot be stored. */
  readonly unstoredChars: number;
  /** The sandbox, or `undefined` where the model could not read a stored file anyway. */
  readonly sandbox: (() => Promise<SandboxHandle>) | undefined;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Writes a large result into the sandbox and gives a block with its size, its path and how it begins. Where it cannot be
 * stored it is cut instead: JSON stays JSON. Only an abort and a lost sandbox reject.
 */
export async function storeResult(content: string, options: StoreResultOptions): Promise<StoredResult> {
  const { sandbox: openSandbox, previewChars, unstoredChars, signal } = options;
  if (openSandbox === undefined) return { content: shortenResult(content, unstoredChars), storedAt: null };
  try {
    const sandbox = await openSandbox();
    const storedAt = `${sandbox.temporaryFolder}/talaria-results/${resultFileName(options)}`;
    await sandbox.writeFile(storedAt, content, { signal, mode: 0o600 });
    return { content: describeStored(content, storedAt, previewChars), storedAt };
  } catch (error) {
    const isLost = isTalariaError(error) && error.code === 'sandbox.lost';
    if (isLost || isAbortOf(error, signal)) throw error;
    options.logger.warn('tool.result-not-stored', { toolCallId: options.toolCallId, message: errorMessage(error) });
    return { content: shortenResult(content, unstoredChars), storedAt: null };
  }
}

/** Identifiers come from the provider: nothing of them but safe characters reaches a path. */
function resultFileName({ toolCallId, rolloutId }: StoreResultOptions): string {
  const readable = toolCallId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  const hash = createHash('sha256').update(`${rolloutId}\0${toolCallId}`).digest('hex').slice(0, 8);
  return `${readable === '' ? 'call' : readable}-${hash}.txt`;
}

function describeStored(content: string, path: string, previewChars: number): string {
  const preview = previewOf(content, previewChars);
  return [
    '<persisted-output>',
    `The result has ${content.length} characters, too many to show. All of it is in ${path}`,
    'Read parts of it with read_file (offset and limit), or search it.',
    ...(preview === '' ? [] : ['', `Its first ${preview.length} characters:`, preview]),
    '</persisted-output>',
  ].join('\n');
}

/** Ends at a line where the cut would not lose more than half. */
function previewOf(content: string, previewChars: number): string {
  const head = clipText(content, previewChars).omittedChars === 0 ? content : cleanHead(content, previewChars);
  const lastBreak = head.lastIndexOf('\n');
  return head.length < content.length && lastBreak > previewChars / 2 ? head.slice(0, lastBreak) : head;
}

function cleanHead(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/**
 * Cuts a result that cannot be stored to about `maxChars` UTF-16 units. JSON stays JSON: the longest texts within it are
 * cut; where it is not they that make it long, it becomes an object with its beginning and its end in `output`.
 */
export function shortenResult(content: string, maxChars: number): string {
  if (content.length <= maxChars) return content;
  const parsed = /^[{[]/.test(content) ? parseJson(content) : { ok: false as const };
  if (!parsed.ok) return clipText(content, maxChars).text;
  return (
    shortenJson(parsed.value, maxChars) ?? shortenJson({ output: content }, maxChars) ?? clipAsJson(content, maxChars)
  );
}

/** For limits that leave no room for anything. */
function clipAsJson(content: string, maxChars: number): string {
  const { text, omittedChars } = clipText(content, maxChars);
  return JSON.stringify({ output: text, truncated_chars: omittedChars });
}
