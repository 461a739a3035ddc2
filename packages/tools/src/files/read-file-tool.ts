import type { JsonObject, JsonValue } from '@talaria/core';
import type { FileStat, SandboxHandle } from '@talaria/terminal-backends';
import { toolFromOptions } from '../define-tool.ts';
import type { Tool, ToolCallContext, ToolResult, ToolSettings } from '../tool.ts';
import { isToolResult, toolError } from '../tool-result.ts';
import { describeKind, fileKindOf } from './file-kind.ts';
import { fileMemory } from './file-memory.ts';
import { type LineWindow, showLine, windowOfStream, windowOfText } from './line-window.ts';
import { refusalToRead } from './path-guard.ts';
import { pathProblem } from './path-problem.ts';
import { refusalToRepeat, warnOfRepeat } from './repeat-guard.ts';
import { findAlternatives } from './similar-files.ts';
import { decodeText, isMostlyCrlf, isUtf16, type TextFile } from './text-file.ts';

/** Files up to this size are read whole, so that their lines can be counted. */
const maxWholeBytes = 8_388_608;
/** Of larger files only the start is looked at, to see what they are; the lines are then streamed. */
const sampleBytes = 65_536;
/** Characters that one call shows; whole lines only. */
const maxShownChars = 100_000;
/** Entries that are listed where the path is a folder. */
const maxEntriesListed = 50;

/** What a repeated call is told that it did. */
const action = 'read this region';

interface ReadFileArguments {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Reads lines of a text file in the sandbox. */
export const readFileTool: Tool = toolFromOptions<ReadFileArguments>({
  name: 'read_file',
  toolset: 'file',
  sideEffect: 'none',
  isParallelSafe: true,
  // Its results are limited by lines, and storing what was just read from a file would only copy it.
  maxResultChars: Number.POSITIVE_INFINITY,
  description: 'Read a text file with line numbers, a range of lines at a time. Lines look like "12|text".',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, description: 'Absolute, relative to the working folder, or with ~' },
      offset: { type: 'integer', minimum: 1, default: 1, description: 'First line, counted from 1' },
      limit: { type: 'integer', minimum: 1, maximum: 2000, default: 500, description: 'Most lines' },
    },
    required: ['path'],
  },
  async execute({ path: given, offset = 1, limit = 500 }, context) {
    const repeated = refusalToRepeat(context, action);
    if (repeated !== undefined) return repeated;
    const problem = pathProblem(given);
    if (problem !== undefined) return toolError('invalid_args', problem);
    const { signal } = context;
    const sandbox = await context.sandbox();
    const path = await sandbox.resolvePath(given);
    const refusal = await refusalToRead(path, sandbox, signal);
    if (refusal !== undefined) return refusal;
    const stat = await sandbox.stat(path, { signal });
    if (stat === null) return notFound(path, sandbox, signal);
    if (stat.kind !== 'file') return notReadable(path, stat, sandbox, signal);
    const result = await readLines({ path, offset, limit, sizeBytes: stat.sizeBytes }, sandbox, context);
    if (isToolResult(result)) return result;
    return warnOfRepeat(path === given ? result : { ...result, resolved_path: path }, context, action);
  },
});

async function notFound(path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<ToolResult> {
  const { message, similarFiles } = await findAlternatives(path, sandbox, signal);
  return toolError('not_found', message, similarFiles.length === 0 ? {} : { similar_files: similarFiles });
}

async function notReadable(
  path: string,
  { kind }: FileStat,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (kind !== 'directory') return toolError('permission', `${path} is ${describeKind(kind)}, not a file.`);
  const entries = await sandbox.list(path, { signal });
  const shown = entries.slice(0, maxEntriesListed).map((entry) => entry.name + (entry.kind === 'directory' ? '/' : ''));
  return toolError('invalid_args', `${path} is a directory, not a file.`, {
    entries: shown,
    ...(entries.length > shown.length ? { total_entries: entries.length } : {}),
  });
}

interface WantedLines {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
  readonly sizeBytes: number;
}

async function readLines(
  wanted: WantedLines,
  sandbox: SandboxHandle,
  context: ToolCallContext,
): Promise<JsonObject | ToolResult> {
  const { path, offset, limit } = wanted;
  const { signal, state } = context;
  const maxBytes = bytesToRead(wanted.sizeBytes);
  const { bytes, sizeBytes, isTruncated } = await sandbox.readFile(path, { maxBytes, signal });
  const kind = fileKindOf(path, bytes);
  if (kind !== 'text') return notText(path, kind, sizeBytes, context);
  if (isTruncated && isUtf16(bytes)) {
    const hint = 'Convert it with terminal: iconv -f UTF-16 -t UTF-8.';
    return toolError('too_large', `${path} has ${sizeBytes} bytes of UTF-16, too many to read. ${hint}`);
  }
  const file = decodeText(isTruncated ? wholeCharacters(bytes) : bytes);
  if (!isTruncated) state.get(fileMemory).note(path, bytes);
  const window = isTruncated
    ? await windowOfStream(await sandbox.openRead(path, { signal }), { offset, limit, sizeBytes })
    : windowOfText(file.text, offset, limit);
  return describeWindow(window, file, { ...wanted, sizeBytes }, context.settings);
}

/** Not more than a file has: one that grows faster than it is read has no end. Files of the system have no size. */
function bytesToRead(sizeBytes: number): number {
  if (sizeBytes > maxWholeBytes) return sampleBytes;
  return sizeBytes === 0 ? maxWholeBytes : sizeBytes;
}

/** The start of a large file up to a character of UTF-8: a cut within one would look like another encoding. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  const lastStart = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(0, Math.max(0, lastStart));
}

function notText(
  path: string,
  kind: 'image' | 'binary',
  sizeBytes: number,
  { enabledTools }: ToolCallContext,
): ToolResult {
  const isImage = kind === 'image';
  const tool = isImage && enabledTools.has('vision_analyze') ? 'vision_analyze' : 'terminal (file, xxd)';
  return toolError(
    'invalid_args',
    `${path} is ${isImage ? 'an image' : 'a binary file'} of ${sizeBytes} bytes. Look at it with ${tool}.`,
    {
      file_size: sizeBytes,
      is_binary: true,
      ...(isImage ? { is_image: true } : {}),
    },
  );
}

function describeWindow(
  window: LineWindow,
  file: TextFile,
  { path, offset, sizeBytes }: WantedLines,
  settings: ToolSettings,
): JsonObject | ToolResult {
  const { totalLines } = window;
  if (window.lines.length === 0 && offset > 1) {
    const lines = totalLines === null ? 'fewer' : `only ${totalLines}`;
    return toolError('invalid_args', `Line ${offset} is beyond the end: ${path} has ${lines} lines.`, {
      total_lines: totalLines,
      file_size: sizeBytes,
    });
  }
  const shown = numberLines(window.lines, offset, settings.lineNumberStyle);
  const lastLine = offset - 1 + shown.length;
  const truncated = window.hasMore || shown.length < window.lines.length;
  const ofLines = totalLines === null ? 'more' : String(totalLines);
  const result: Record<string, JsonValue> = {
    content: shown.join('\n'),
    total_lines: totalLines,
    file_size: sizeBytes,
    truncated,
  };
  if (truncated) {
    result['hint'] =
      `Use offset=${lastLine + 1} to continue reading (showing ${offset}-${lastLine} of ${ofLines} lines)`;
  } else if (file.text !== '' && totalLines !== null && !file.text.endsWith('\n')) result['ends_with_newline'] = false;
  if (isMostlyCrlf(file.text)) result['line_ending'] = 'crlf';
  if (file.encoding !== 'utf-8') result['encoding'] = file.encoding;
  return result;
}

/** As many whole lines as fit into one result; at least one. */
function numberLines(lines: readonly string[], offset: number, style: ToolSettings['lineNumberStyle']): string[] {
  const shown: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    const number = String(offset + index);
    const text = `${style === 'padded6' ? number.padStart(6) : number}|${showLine(line)}`;
    chars += text.length + 1;
    if (chars > maxShownChars && shown.length > 0) break;
    shown.push(text);
  }
  return shown;
}
