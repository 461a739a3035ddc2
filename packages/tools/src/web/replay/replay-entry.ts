import { contentHash, type JsonObject, parseJson } from '@talaria/core';
import { z } from 'zod';
import type { ExtractedPage, SearchHit } from '../providers/web-provider.ts';
import type { WebErrorKind } from '../web-error.ts';

/** What was asked. */
export interface ReplayRequest {
  /** Name of the provider. */
  readonly provider: string;
  readonly operation: 'search' | 'extract';
  readonly request: JsonObject;
}

/** A failure that would happen again. */
export interface RecordedFailure {
  readonly kind: WebErrorKind;
  readonly message: string;
  readonly status?: number | undefined;
  readonly contentType?: string | undefined;
}

/** What was answered. */
export type ReplayOutcome =
  | { readonly hits: readonly SearchHit[] }
  | { readonly page: ExtractedPage }
  | { readonly failure: RecordedFailure };

const hit = z.object({ title: z.string(), url: z.string(), description: z.string() });

const page = z.object({
  url: z.string(),
  title: z.string(),
  content: z.string(),
  status: z.number().nullable(),
  contentType: z.string().nullable(),
  isIncomplete: z.boolean(),
});

const failure = z.object({
  kind: z.enum(['network', 'timeout', 'not_found', 'permission', 'not_available', 'too_large']),
  message: z.string(),
  status: z.number().optional(),
  contentType: z.string().optional(),
});

const outcome: z.ZodType<ReplayOutcome> = z.union([
  z.object({ hits: z.array(hit) }),
  z.object({ page }),
  z.object({ failure }),
]);

/** What answers are found by: the same for equal requests, however they are written. */
export function replayKey({ provider, operation, request }: ReplayRequest): string {
  return contentHash({ provider, operation, request });
}

/** One line of a file, with its end. The key comes first, so that a line can be found without being read as a whole. */
export function encodeEntry(asked: ReplayRequest, answered: ReplayOutcome, nowMs: number): string {
  const { provider, operation, request } = asked;
  const entry = {
    key: replayKey(asked),
    version: 1,
    recorded_at: new Date(nowMs).toISOString(),
    provider,
    operation,
    request,
    outcome: answered,
  };
  return `${JSON.stringify(entry)}\n`;
}

/** The key of a line, or `undefined` where it is no entry of a known version. */
export function keyOfLine(line: string): string | undefined {
  return /^\{"key":"([0-9a-f]{64})","version":1,/.exec(line)?.[1];
}

/** The outcome of a line, or `undefined` where it is damaged. */
export function decodeEntry(line: string): ReplayOutcome | undefined {
  const parsed = parseJson(line);
  const entry = parsed.ok ? z.looseObject({ outcome }).safeParse(parsed.value) : undefined;
  return entry?.data?.outcome;
}
