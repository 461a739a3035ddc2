import type { JsonObject } from '@talaria/core';
import { fileMemory } from '../files/file-memory.ts';
import { refusalToWrite } from '../files/path-guard.ts';
import { pathProblem } from '../files/path-problem.ts';
import { findAlternatives } from '../files/similar-files.ts';
import { encodeForFile, maxEditedBytes, storeBytes } from '../files/store-text.ts';
import { checkSyntax } from '../files/syntax-check.ts';
import { unifiedDiff } from '../files/unified-diff.ts';
import type { ToolCallContext, ToolResult } from '../tool.ts';
import { type EditableFile, readEditable } from './editable-file.ts';
import { patchError } from './patch-error.ts';
import { type Replacement, type ReplaceResult, replaceText } from './replace-text.ts';
import { describeSimilarRegions } from './similar-regions.ts';
import { normalizeText, type TextEdit } from './text-edit.ts';

/** Replaces one piece of text in one file. */
export async function replaceInFile(
  given: string,
  replacement: Replacement,
  context: ToolCallContext,
): Promise<JsonObject | ToolResult> {
  const { signal, settings } = context;
  const problem = pathProblem(given);
  if (problem !== undefined) return patchError('invalid_args', problem);
  if (replacement.oldText === '')
    return patchError('invalid_args', 'old_string is empty. Give the text to be replaced.');
  if (replacement.oldText === replacement.newText) {
    return patchError('invalid_args', 'old_string and new_string are the same; there is nothing to change.');
  }
  const sandbox = await context.sandbox();
  const path = await sandbox.resolvePath(given);
  const refusal = await refusalToWrite(path, sandbox, settings, signal);
  if (refusal !== undefined) return refusal;
  const read = await readEditable(path, sandbox, signal);
  if (!read.ok) return patchError(read.kind, `${path} ${read.problem}.`);
  if (read.file === null) {
    const { message, similarFiles } = await findAlternatives(path, sandbox, signal);
    return patchError('not_found', message, similarFiles.length === 0 ? {} : { similar_files: similarFiles });
  }
  return applyReplacement({ given, path, file: read.file, replacement }, context);
}

interface ReplaceTask {
  readonly given: string;
  readonly path: string;
  readonly file: EditableFile;
  readonly replacement: Replacement;
}

async function applyReplacement(
  { given, path, file, replacement }: ReplaceTask,
  context: ToolCallContext,
): Promise<JsonObject | ToolResult> {
  const { signal, state, settings } = context;
  const sandbox = await context.sandbox();
  const normalized = normalizeText(file.format.text);
  const oldText = replacement.oldText.replaceAll('\r\n', '\n');
  const newText = replacement.newText.replaceAll('\r\n', '\n');
  const found = replaceText(normalized.text, { ...replacement, oldText, newText });
  if (found.kind !== 'found') return describeMiss(found, normalized.text, oldText);
  if (lengthAfter(normalized.text, found.edits) > maxEditedBytes) {
    return patchError('too_large', `${path} would have more than ${maxEditedBytes} bytes. Replace less.`);
  }
  const after = normalized.apply(found.edits);
  if (after === file.format.text) return patchError('invalid_args', 'The replacement leaves the file as it is.');
  const memory = state.get(fileMemory);
  const isStale = memory.isStale(path, file.bytes);
  const encoded = encodeForFile(path, after, { ...file.format, maxBytes: maxEditedBytes });
  if (!encoded.ok) return patchError(encoded.kind, encoded.message);
  const { bytes } = encoded;
  const problem = await storeBytes(path, bytes, { sandbox, memory, signal });
  if (problem !== undefined) return problem;
  const { bytes: reread } = await sandbox.readFile(path, { signal, maxBytes: bytes.length + 1 });
  if (Buffer.compare(reread, bytes) !== 0) {
    return patchError(
      'internal',
      `${path} does not hold what was written; something else writes to it. Read it again.`,
    );
  }
  const diff = unifiedDiff([{ path: given, before: file.format.text, after }]);
  const lint = settings.lint
    ? await checkSyntax({ path, before: file.format.text, after }, sandbox, signal)
    : undefined;
  return {
    success: true,
    ...(diff === undefined ? {} : { diff }),
    files_modified: [path],
    ...(found.strategy === 'exact' ? {} : { match_strategy: found.strategy }),
    ...(found.edits.length > 1 ? { replacements: found.edits.length } : {}),
    ...(lint === undefined ? {} : { lint }),
    ...(isStale ? { _warning: 'The file had changed since you last read it. Check the diff.' } : {}),
  };
}

/** A replacement of a million places by a long text must not be built to find out that it is too large. */
function lengthAfter(text: string, edits: readonly TextEdit[]): number {
  return edits.reduce((length, edit) => length + edit.text.length - (edit.end - edit.start), text.length);
}

function describeMiss(result: Exclude<ReplaceResult, { kind: 'found' }>, text: string, oldText: string): ToolResult {
  switch (result.kind) {
    case 'not-found': {
      const hint = describeSimilarRegions(text, oldText);
      const message = 'old_string was not found in the file. Read the file and copy the text exactly.';
      return patchError('not_found', message, hint === undefined ? {} : { hint });
    }
    case 'ambiguous': {
      const places = `${result.lines.length} places (lines ${result.lines.slice(0, 20).join(', ')})`;
      const how = result.strategy === 'exact' ? '' : ` by the strategy ${result.strategy}`;
      return patchError(
        'invalid_args',
        `old_string matches ${places}${how}. Give more of the text around it, or set replace_all.`,
      );
    }
    case 'escape-drift':
      return patchError(
        'invalid_args',
        `Both strings hold ${result.escaped}, but the file has the plain quote there. Write the quotes without backslashes.`,
      );
  }
}
