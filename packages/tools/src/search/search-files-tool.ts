import { posix } from 'node:path';
import type { JsonObject, JsonValue } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { toolFromOptions } from '../define-tool.ts';
import { describeKind } from '../files/file-kind.ts';
import { followLinks } from '../files/follow-links.ts';
import { refusalToRead } from '../files/path-guard.ts';
import { pathProblem } from '../files/path-problem.ts';
import { refusalToRepeat, warnOfRepeat } from '../files/repeat-guard.ts';
import { findAlternatives } from '../files/similar-files.ts';
import type { Tool, ToolCallContext, ToolResult } from '../tool.ts';
import { isToolResult, toolError } from '../tool-result.ts';
import { chooseEngine } from './choose-engine.ts';
import { argumentProblem, type SearchArguments } from './search-arguments.ts';
import type { SearchEngine, SearchHit, SearchOutcome, SearchScope } from './search-engine.ts';
import { isSystemFolder, searchRoots } from './search-roots.ts';

/** Characters of a line that are shown. */
const maxContentChars = 500;

/** What a repeated call is told that it did. */
const action = 'ran this search';

const targetAliases: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['grep', 'content'],
  ['find', 'files'],
]);

/** Searches files by what is in them, or by their names. */
export const searchFilesTool: Tool = toolFromOptions<SearchArguments>({
  name: 'search_files',
  toolset: 'file',
  sideEffect: 'none',
  isParallelSafe: true,
  description:
    'Search the contents of files for a regular expression, or with target=files find files by a glob, newest first. Hidden and ignored files are left out.',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1, description: 'Regular expression, or glob such as *.py or src/**/*.ts' },
      target: { type: 'string', enum: ['content', 'files'], default: 'content' },
      path: { type: 'string', minLength: 1, default: '.', description: 'Folder or file to search' },
      file_glob: { type: 'string', minLength: 1, description: 'Only files that fit this glob' },
      limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'Results to leave out at the start' },
      output_mode: {
        type: 'string',
        enum: ['content', 'files_only', 'count'],
        default: 'content',
        description: 'Matching lines, files that match, or the number of matching lines per file',
      },
      context: { type: 'integer', minimum: 0, maximum: 20, default: 0, description: 'Lines around each match' },
    },
    required: ['pattern'],
  },
  prepareArguments: (args) => {
    const meant = targetAliases.get(args['target']);
    return meant === undefined ? args : { ...args, target: meant };
  },
  async execute(args, context) {
    const refusal = refusalToRepeat(context, action);
    if (refusal !== undefined) return refusal;
    const result = await search(args, context);
    return isToolResult(result) ? result : warnOfRepeat(result, context, action);
  },
});

interface Search {
  readonly args: SearchArguments;
  readonly engine: SearchEngine;
  readonly scope: SearchScope;
  /** How a path is shown. */
  readonly show: (path: string) => string;
}

async function search(args: SearchArguments, context: ToolCallContext): Promise<JsonObject | ToolResult> {
  const problem = argumentProblem(args) ?? pathProblem(args.path ?? '.');
  if (problem !== undefined) return toolError('invalid_args', problem);
  const { signal, settings, state, clock } = context;
  const { path: given = '.' } = args;
  const sandbox = await context.sandbox();
  const root = await sandbox.resolvePath(given);
  const stat = await sandbox.stat(root, { signal });
  if (stat === null) {
    const { message, similarFiles } = await findAlternatives(root, sandbox, signal);
    return toolError('not_found', message, similarFiles.length === 0 ? {} : { similar_files: similarFiles });
  }
  const refusal = await refusalToRead(root, sandbox, signal);
  if (refusal !== undefined) return refusal;
  const place = await followLinks(root, sandbox, signal);
  if (stat.kind === 'directory' && isSystemFolder(place)) {
    return toolError('permission', `${place} belongs to the system; it holds no files to search. Choose another path.`);
  }
  if (stat.kind !== 'file' && stat.kind !== 'directory') {
    return toolError('permission', `${root} is ${describeKind(stat.kind)}; it has no lines.`);
  }
  const isRelative = !given.startsWith('/') && !given.startsWith('~');
  const cwd = sandbox.cwd;
  const includeHidden = isHidden(root, sandbox);
  const running: Search = {
    args,
    engine: await chooseEngine(sandbox, settings, state, signal),
    scope: {
      root,
      ...(await searchRoots(place === '/' ? place : root, stat.kind, includeHidden, { sandbox, signal })),
      fileGlob: args.file_glob,
      includeHidden,
      clock,
      signal,
    },
    show: (path) => (isRelative ? posix.relative(cwd, path) : path),
  };
  if (args.target === 'files') return searchFiles(running);
  return (args.output_mode ?? 'content') === 'content' ? searchLines(running) : searchCounts(running);
}

/** Whether a path is hidden, or in a hidden folder, seen from the sandbox's own folders: these may be in one themselves. */
function isHidden(path: string, { home, temporaryFolder }: SandboxHandle): boolean {
  const own = [home, temporaryFolder].find((folder) => path === folder || path.startsWith(`${folder}/`)) ?? '';
  return path
    .slice(own.length)
    .split('/')
    .some((part) => part.startsWith('.') && part !== '..');
}

function failedSearch({ engine }: Search, message: string): ToolResult {
  return toolError('invalid_args', `The search failed: ${message.slice(0, 1_000)}`, {
    hint: 'To search for characters such as ( [ { . * + ? literally, write a backslash before each.',
    engine: engine.name,
  });
}

async function searchLines(running: Search): Promise<JsonObject | ToolResult> {
  const { args, engine, scope, show } = running;
  const { limit = 50, offset = 0, context = 0, pattern } = args;
  const query = { ...scope, pattern, contextLines: context, maxMatches: offset + limit + 1 };
  const outcome = await engine.searchContent(query);
  if (!outcome.ok) return failedSearch(running, outcome.message);
  const matches = outcome.found.filter(({ isContext }) => !isContext);
  const kept = matches.slice(offset, offset + limit);
  const shown = withContext(outcome.found, kept, context).map((hit) => ({
    path: show(hit.path),
    line: hit.line,
    content: cutLine(hit.content),
    ...(hit.isContext ? { context: true } : {}),
  }));
  return pageResult(running, outcome, { total: matches.length, shown: kept.length, fields: { matches: shown } });
}

/** Of the lines around matches only those around the matches that are shown, each once. */
function withContext(found: readonly SearchHit[], kept: readonly SearchHit[], context: number): readonly SearchHit[] {
  if (context === 0) return kept;
  const wanted = new Set<string>();
  for (const { path, line } of kept) {
    for (let near = line - context; near <= line + context; near += 1) wanted.add(`${near}\0${path}`);
  }
  const keptSet = new Set(kept);
  return found.filter((hit) => keptSet.has(hit) || (hit.isContext && wanted.has(`${hit.line}\0${hit.path}`)));
}

async function searchCounts(running: Search): Promise<JsonObject | ToolResult> {
  const { args, engine, scope, show } = running;
  const { limit = 50, offset = 0, pattern } = args;
  const outcome = await engine.countMatches({ ...scope, pattern });
  if (!outcome.ok) return failedSearch(running, outcome.message);
  const entries = [...outcome.found];
  const kept = entries.slice(offset, offset + limit).map(([path, count]) => [show(path), count] as const);
  const isCount = args.output_mode === 'count';
  return pageResult(running, outcome, {
    total: entries.length,
    shown: kept.length,
    totalCount: isCount ? entries.reduce((sum, [, count]) => sum + count, 0) : entries.length,
    fields: isCount ? { counts: Object.fromEntries(kept) } : { files: kept.map(([path]) => path) },
  });
}

async function searchFiles(running: Search): Promise<JsonObject | ToolResult> {
  const { args, engine, scope, show } = running;
  const { limit = 50, offset = 0, pattern } = args;
  const outcome = await engine.findFiles({ ...scope, glob: pattern, maxFiles: offset + limit + 1 });
  if (!outcome.ok) return failedSearch(running, outcome.message);
  const kept = outcome.found.slice(offset, offset + limit);
  return pageResult(running, outcome, {
    total: outcome.found.length,
    shown: kept.length,
    fields: { files: kept.map(show) },
  });
}

interface Page {
  /** Results that were found. */
  readonly total: number;
  readonly shown: number;
  /** @default `total` */
  readonly totalCount?: number;
  readonly fields: JsonObject;
}

function pageResult(
  { args: { offset = 0 }, engine }: Search,
  outcome: SearchOutcome<unknown> & { readonly ok: true },
  { total, shown, totalCount = total, fields }: Page,
): JsonObject {
  const isTruncated = offset + shown < total || outcome.isPartial;
  return {
    total_count: totalCount,
    ...fields,
    ...(isTruncated
      ? { truncated: true, hint: hintFor(offset + shown < total ? undefined : outcome.limitReason, offset + shown) }
      : {}),
    ...(outcome.isPartial ? { total_is_lower_bound: true } : {}),
    ...(outcome.limitReason === undefined ? {} : { limit_reason: outcome.limitReason }),
    ...(engine.name === 'ripgrep' ? {} : { engine: engine.name }),
  };
}

function hintFor(limitReason: string | undefined, next: number): string {
  if (limitReason === undefined) return `Use offset=${next} to see more`;
  const reason = limitReason === 'time' ? 'The search ran out of time' : 'There are too many files';
  return `${reason}: search a smaller folder, or fewer files by file_glob`;
}

function cutLine(content: string): string {
  if (content.length <= maxContentChars) return content;
  const last = content.charCodeAt(maxContentChars - 1);
  return content.slice(0, last >= 0xd800 && last <= 0xdbff ? maxContentChars - 1 : maxContentChars);
}
