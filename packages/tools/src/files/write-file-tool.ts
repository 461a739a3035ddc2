import { posix } from 'node:path';
import type { JsonObject } from '@talaria/core';
import type { FileContent, SandboxHandle } from '@talaria/terminal-backends';
import { toolFromOptions } from '../define-tool.ts';
import { isNotFound } from '../sandbox-failure.ts';
import type { Tool, ToolCallContext, ToolResult } from '../tool.ts';
import { isToolResult, toolError } from '../tool-result.ts';
import { describeKind } from './file-kind.ts';
import { fileMemory } from './file-memory.ts';
import { refusalToWrite } from './path-guard.ts';
import { pathProblem } from './path-problem.ts';
import { encodeForFile, maxWrittenBytes, storeBytes } from './store-text.ts';
import { checkSyntax } from './syntax-check.ts';
import { decodeText, isMostlyCrlf, newTextFile, type TextFile } from './text-file.ts';

interface WriteFileArguments {
  readonly path: string;
  readonly content: string;
}

/** Writes a whole text file into the sandbox. */
export const writeFileTool: Tool = toolFromOptions<WriteFileArguments>({
  name: 'write_file',
  toolset: 'file',
  sideEffect: 'sandbox',
  description: (tools) =>
    'Write a whole text file; folders are made as needed and an existing file is replaced.' +
    (tools.has('patch') ? ' To change a part of a file use patch.' : ''),
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, description: 'Absolute, relative to the working folder, or with ~' },
      content: { type: 'string', description: 'The whole content; may be empty' },
    },
    required: ['path', 'content'],
  },
  async execute({ path: given, content }, context) {
    const problem = pathProblem(given);
    if (problem !== undefined) return toolError('invalid_args', problem);
    const { signal, settings } = context;
    const sandbox = await context.sandbox();
    const path = await sandbox.resolvePath(given);
    const refusal = await refusalToWrite(path, sandbox, settings, signal);
    if (refusal !== undefined) return refusal;
    const before = await readBefore(path, sandbox, signal);
    if (isToolResult(before)) return before;
    return writeWhole({ given, path, content, before }, sandbox, context);
  },
});

async function readBefore(
  path: string,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<FileContent | null | ToolResult> {
  try {
    const stat = await sandbox.stat(path, { signal });
    if (stat === null) return null;
    if (stat.kind !== 'file') return toolError('invalid_args', `${path} is ${describeKind(stat.kind)}, not a file.`);
    // Not more than it has: a file that grows as fast as it is read has no end.
    const maxBytes = Math.min(stat.sizeBytes, maxWrittenBytes);
    return await sandbox.readFile(path, { maxBytes, signal });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

interface WantedFile {
  readonly given: string;
  readonly path: string;
  readonly content: string;
  readonly before: FileContent | null;
}

async function writeWhole(
  { given, path, content, before }: WantedFile,
  sandbox: SandboxHandle,
  { signal, state, settings }: ToolCallContext,
): Promise<JsonObject | ToolResult> {
  const memory = state.get(fileMemory);
  const isStale = before !== null && !before.isTruncated && memory.isStale(path, before.bytes);
  const previous = before === null || before.isTruncated ? null : decodeText(before.bytes);
  const text = keepLineEndings(content, previous);
  const encoded = encodeForFile(path, text, { ...formatFor(text, previous), maxBytes: maxWrittenBytes });
  if (!encoded.ok) return toolError(encoded.kind, encoded.message);
  const dirsCreated = before === null && (await sandbox.makeDirectory(posix.dirname(path), { signal }));
  const problem = await storeBytes(path, encoded.bytes, { sandbox, memory, signal });
  if (problem !== undefined) return problem;
  const lint = settings.lint
    ? await checkSyntax({ path, before: previous?.text ?? null, after: text }, sandbox, signal)
    : undefined;
  return {
    bytes_written: encoded.bytes.length,
    dirs_created: dirsCreated,
    created: before === null,
    ...(path === given ? {} : { resolved_path: path }),
    ...(lint === undefined ? {} : { lint }),
    ...(isStale ? { _warning: 'The file had changed since you last read it; those changes are gone now.' } : {}),
  };
}

/** A file whose lines end in CR LF keeps them, where the new content has none. */
function keepLineEndings(content: string, previous: TextFile | null): string {
  const isCrlf = previous !== null && isMostlyCrlf(previous.text) && !content.includes('\r\n');
  return isCrlf ? content.replaceAll('\n', '\r\n') : content;
}

/** The byte-order mark stays; what was Latin-1 becomes UTF-8 only where the new content needs it. */
function formatFor(text: string, previous: TextFile | null): Omit<TextFile, 'text'> {
  if (previous === null) return newTextFile;
  if (previous.encoding === 'latin-1' && /[^\0-\u007f]/.test(text)) return newTextFile;
  return text.startsWith('\ufeff') ? { ...previous, hasByteOrderMark: false } : previous;
}
