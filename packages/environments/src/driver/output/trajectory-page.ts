import { createReadStream } from 'node:fs';
import { join, parse } from 'node:path';
import { createInterface } from 'node:readline';
import {
  errorMessage,
  isAbortOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  systemErrorCode,
} from '@talaria/core';
import { writeAtomic } from '@talaria/run-store';
import { countGroups, renderGroupsHtml } from '@talaria/trajectories';
import type { RunScope } from '../run/run-scope.ts';

/** What a line of a file of trajectories is. */
export type LineKind = 'group' | 'rollout' | 'sample';

/** A JSONL file that is still being written. */
export interface ShownOutput {
  /** Absolute; `null` where there is no file. */
  readonly path: string | null;
  /** Waits until what was written can be read. @throws StateError where it could not be written */
  flush(): Promise<void>;
}

/**
 * Writes the page that shows a JSONL file, beside it; gives its path, or `null` where there is none. The page is for
 * looking at: where it cannot be written, the run is no less done. Lines that could not be written end the run.
 */
export async function writePage<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  output: ShownOutput,
  kind: LineKind,
): Promise<string | null> {
  try {
    await output.flush();
  } catch (error) {
    scope.fail(error);
    return null;
  }
  return output.path === null ? null : writePageOf(scope, output.path, kind);
}

async function writePageOf<Item extends JsonObject, Config>(
  { environment, modelName, options, logger }: RunScope<Item, Config>,
  path: string,
  kind: LineKind,
): Promise<string | null> {
  const { forceSignal: signal } = options;
  const { dir, name } = parse(path);
  const pagePath = join(dir, `${name}.html`);
  try {
    signal?.throwIfAborted();
    const totals = await countGroups(readGroups(path, kind));
    if (totals.groups === 0) return null;
    const page = renderGroupsHtml(readGroups(path, kind), {
      title: `${environment.name} with ${modelName}`,
      totals,
      onSkip: ({ lineNumber, reason }) => logger.warn('output.line-not-shown', { path, lineNumber, reason }),
    });
    await writeAtomic(pagePath, page, { signal });
    return pagePath;
  } catch (error) {
    if (!isAbortOf(error, signal)) logger.warn('output.no-page', { message: errorMessage(error) });
    return null;
  }
}

/** The lines of a file as groups: a rollout of its own is a group of one. */
async function* readGroups(path: string, kind: LineKind): AsyncGenerator<string | JsonObject> {
  for await (const line of readLines(path)) {
    const parsed = kind === 'group' ? undefined : parseJson(line);
    if (parsed?.ok !== true || !isJsonObject(parsed.value)) yield line;
    else yield kind === 'rollout' ? groupOfRollout(parsed.value) : groupOfSample(parsed.value);
  }
}

function groupOfRollout(row: JsonObject): JsonObject {
  const { messages = [], reward = null, item_id = null, model = null } = row;
  const { stop_reason = null, turns_used = null, prompt_tokens, completion_tokens, duration_ms, error = null } = row;
  const rollout = {
    stop_reason,
    turns_used,
    reward_components: readJson(row['rewards_json']),
    usage: { total_tokens: numberOf(prompt_tokens) + numberOf(completion_tokens) },
    wall_s: numberOf(duration_ms) / 1000,
    error,
    info: readJson(row['info_json']),
  };
  return { messages: [messages], scores: [reward], meta: { item_id, model, rollouts: [rollout] } };
}

function groupOfSample(row: JsonObject): JsonObject {
  const { messages = [], score = null, item_id = null, turns = null } = row;
  return { messages: [messages], scores: [score], meta: { item_id, rollouts: [{ ...row, turns_used: turns }] } };
}

function readJson(text: JsonValue | undefined): JsonValue {
  const parsed = typeof text === 'string' ? parseJson(text) : undefined;
  return parsed?.ok === true ? parsed.value : null;
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** A file that somebody removed in the meantime has no lines. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const stream = createReadStream(path, 'utf8');
  try {
    yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  } finally {
    stream.destroy();
  }
}
