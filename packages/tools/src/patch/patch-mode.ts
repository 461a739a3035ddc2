import { posix } from 'node:path';
import type { JsonObject, JsonValue } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { fileMemory } from '../files/file-memory.ts';
import { followLinks } from '../files/follow-links.ts';
import { refusalToWrite } from '../files/path-guard.ts';
import { pathProblem } from '../files/path-problem.ts';
import { checkSyntax } from '../files/syntax-check.ts';
import { unifiedDiff } from '../files/unified-diff.ts';
import type { ToolCallContext, ToolResult } from '../tool.ts';
import { writeFiles } from './apply-plan.ts';
import { type EditableFile, readEditable } from './editable-file.ts';
import { type PatchSection, parsePatch } from './parse-patch.ts';
import { patchError } from './patch-error.ts';
import { type PlannedFiles, planPatch } from './plan-patch.ts';

/** Applies a patch in the V4A form to any number of files: all of it, or nothing. */
export async function applyPatch(text: string, context: ToolCallContext): Promise<JsonObject | ToolResult> {
  const { signal, settings } = context;
  const parsed = parsePatch(text);
  if (!parsed.ok) return patchError('invalid_args', `The patch cannot be read. ${parsed.errors.join(' ')}`);
  const problem = parsed.sections
    .flatMap(pathsOf)
    .map(pathProblem)
    .find((found) => found !== undefined);
  if (problem !== undefined) return patchError('invalid_args', problem);
  const sandbox = await context.sandbox();
  const names = new Map<string, GivenPath>();
  const sections: PatchSection[] = [];
  for (const section of parsed.sections) sections.push(await resolvePaths(section, sandbox, names, signal));
  for (const path of names.keys()) {
    const refusal = await refusalToWrite(path, sandbox, settings, signal);
    if (refusal !== undefined) return refusal;
  }
  const originals = new Map<string, EditableFile>();
  const plan = await planPatch(sections, async (path) => {
    const read = await readEditable(path, sandbox, signal);
    if (!read.ok) return { problem: `${read.problem}.` };
    if (read.file !== null) originals.set(path, read.file);
    return read.file?.format.text ?? null;
  });
  if (!plan.ok) return patchError('invalid_args', `Nothing was changed. ${plan.errors.join(' ')}`);
  const changed = new Map([...plan.files].filter(([, { before, after }]) => before !== after));
  if (changed.size === 0) return patchError('invalid_args', 'The patch leaves every file as it is.');
  const memory = context.state.get(fileMemory);
  const written = await writeFiles(changed, originals, { sandbox, memory, signal });
  if (!written.ok) return patchError(written.kind, `Nothing was changed. ${written.message}`);
  return describePatch(changed, names, sandbox, context);
}

function pathsOf(section: PatchSection): readonly string[] {
  const moveTo = 'moveTo' in section ? section.moveTo : undefined;
  return moveTo === undefined ? [section.path] : [section.path, moveTo];
}

/** How a patch named a file. */
interface GivenPath {
  readonly given: string;
  readonly absolute: string;
}

/** The section with the paths at which its files really are: two names of one file must not be two files of the plan. */
async function resolvePaths(
  section: PatchSection,
  sandbox: SandboxHandle,
  names: Map<string, GivenPath>,
  signal: AbortSignal,
): Promise<PatchSection> {
  async function resolve(given: string, isLinkItself: boolean): Promise<string> {
    const absolute = await sandbox.resolvePath(given);
    const path = isLinkItself
      ? posix.join(await followLinks(posix.dirname(absolute), sandbox, signal), posix.basename(absolute))
      : await followLinks(absolute, sandbox, signal);
    if (!names.has(path)) names.set(path, { given, absolute });
    return path;
  }
  switch (section.kind) {
    case 'add':
      return { ...section, path: await resolve(section.path, false) };
    case 'delete':
      return { ...section, path: await resolve(section.path, true) };
    case 'move':
      return { ...section, path: await resolve(section.path, true), moveTo: await resolve(section.moveTo, false) };
    case 'update': {
      // A move takes the link itself away, not what it points to.
      const path = await resolve(section.path, section.moveTo !== undefined);
      return section.moveTo === undefined
        ? { ...section, path }
        : { ...section, path, moveTo: await resolve(section.moveTo, false) };
    }
  }
}

async function describePatch(
  changed: PlannedFiles,
  names: ReadonlyMap<string, GivenPath>,
  sandbox: SandboxHandle,
  { signal, settings }: ToolCallContext,
): Promise<JsonObject> {
  const nameOf = (path: string): GivenPath => names.get(path) ?? { given: path, absolute: path };
  const pathsWhere = (fits: (before: string | null, after: string | null) => boolean): string[] =>
    [...changed].flatMap(([path, { before, after }]) => (fits(before, after) ? [nameOf(path).absolute] : []));
  const diff = unifiedDiff(
    [...changed].map(([path, { before, after }]) => ({ path: nameOf(path).given, before, after })),
  );
  const lints: [string, JsonValue][] = [];
  for (const [path, { before, after }] of settings.lint ? changed : []) {
    const lint = after === null ? undefined : await checkSyntax({ path, before, after }, sandbox, signal);
    if (lint !== undefined) lints.push([nameOf(path).absolute, lint]);
  }
  const result: Record<string, JsonValue> = { success: true };
  if (diff !== undefined) result['diff'] = diff;
  addUnlessEmpty(
    result,
    'files_modified',
    pathsWhere((before, after) => before !== null && after !== null),
  );
  addUnlessEmpty(
    result,
    'files_created',
    pathsWhere((before) => before === null),
  );
  addUnlessEmpty(
    result,
    'files_deleted',
    pathsWhere((_before, after) => after === null),
  );
  const [onlyLint] = lints;
  if (onlyLint !== undefined) result['lint'] = lints.length === 1 ? onlyLint[1] : Object.fromEntries(lints);
  return result;
}

function addUnlessEmpty(result: Record<string, JsonValue>, key: string, paths: readonly string[]): void {
  if (paths.length > 0) result[key] = paths;
}
