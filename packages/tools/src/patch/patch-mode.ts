import type { JsonObject, JsonValue } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { fileMemory } from '../files/file-memory.ts';
import { refusalToWrite } from '../files/path-guard.ts';
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
  const sandbox = await context.sandbox();
  const sections = await Promise.all(parsed.sections.map((section) => resolvePaths(section, sandbox)));
  const givenPaths = new Map(sections.flatMap((section, index) => pairPaths(section, parsed.sections[index])));
  for (const path of new Set(sections.flatMap(pathsOf))) {
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
  const memory = context.state.get(fileMemory);
  const written = await writeFiles(plan.files, originals, { sandbox, memory, signal });
  if (!written.ok) return patchError(written.kind, `Nothing was changed. ${written.message}`);
  return describePatch(plan.files, givenPaths, sandbox, context);
}

async function resolvePaths(section: PatchSection, sandbox: SandboxHandle): Promise<PatchSection> {
  const path = await sandbox.resolvePath(section.path);
  if (!('moveTo' in section) || section.moveTo === undefined) return { ...section, path };
  return { ...section, path, moveTo: await sandbox.resolvePath(section.moveTo) };
}

function pathsOf(section: PatchSection): readonly string[] {
  return 'moveTo' in section && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path];
}

/** Each absolute path with what the patch calls it. */
function pairPaths(resolved: PatchSection, given: PatchSection | undefined): readonly (readonly [string, string])[] {
  const names = given === undefined ? [] : pathsOf(given);
  return pathsOf(resolved).map((path, index) => [path, names[index] ?? path] as const);
}

async function describePatch(
  files: PlannedFiles,
  givenPaths: ReadonlyMap<string, string>,
  sandbox: SandboxHandle,
  { signal, settings }: ToolCallContext,
): Promise<JsonObject> {
  const changed = [...files].filter(([, { before, after }]) => before !== after);
  const pathsWhere = (fits: (before: string | null, after: string | null) => boolean): string[] =>
    changed.flatMap(([path, { before, after }]) => (fits(before, after) ? [path] : []));
  const diff = unifiedDiff(
    changed.map(([path, { before, after }]) => ({ path: givenPaths.get(path) ?? path, before, after })),
  );
  const lints: [string, JsonValue][] = [];
  for (const [path, { before, after }] of settings.lint ? changed : []) {
    const lint = after === null ? undefined : await checkSyntax({ path, before, after }, sandbox, signal);
    if (lint !== undefined) lints.push([path, lint]);
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
