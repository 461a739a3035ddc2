import { errorMessage, truncateText } from '@talaria/core';
import { describeKind } from '../files/file-kind.ts';
import { refusalToRead } from '../files/path-guard.ts';
import type { ToolCallContext, ToolErrorKind, ToolResult } from '../tool.ts';
import { isToolResult, toolError } from '../tool-result.ts';
import { UrlRefusedError } from '../web/url-policy/url-refused-error.ts';
import { kindOfStatus, WebError } from '../web/web-error.ts';
import { decodeDataUrl } from './data-url.ts';
import { type ImageMediaType, imageTypeOf } from './image-type.ts';
import type { FetchBytes } from './ports.ts';

/** Largest picture that is looked at: 20 MiB. */
export const maxImageBytes = 20_971_520;
/** Longest path or address that is tried; data in the address excepted. */
const maxAddressChars = 4_096;

/** A picture and what it is. */
export interface LoadedImage {
  readonly bytes: Uint8Array;
  readonly mediaType: ImageMediaType;
}

/**
 * Gets the picture that a model named: by an `http(s)` address, as data in the address, or by a path inside the sandbox.
 * Files of the machine that runs Talaria cannot be named.
 */
export async function loadImage(
  source: string,
  fetchBytes: FetchBytes,
  context: ToolCallContext,
): Promise<LoadedImage | ToolResult> {
  const bytes = await readSource(source.trim(), fetchBytes, context);
  if (isToolResult(bytes)) return bytes;
  const mediaType = imageTypeOf(bytes);
  if (mediaType !== undefined) return { bytes, mediaType };
  const what = bytes.length === 0 ? 'It is empty' : 'Its content is not that of a PNG, JPEG, GIF or WebP image';
  return refuse('invalid_args', `${shown(source)} cannot be looked at. ${what}.`);
}

async function readSource(
  source: string,
  fetchBytes: FetchBytes,
  context: ToolCallContext,
): Promise<Uint8Array | ToolResult> {
  if (/^data:/i.test(source)) return readDataUrl(source);
  if (source === '') return refuse('invalid_args', 'image_url is empty. Give an address or the path of an image.');
  if (source.length > maxAddressChars) {
    return refuse(
      'invalid_args',
      `image_url has ${source.length} characters; at most ${maxAddressChars} are possible.`,
    );
  }
  if (/^https?:/i.test(source) && !context.settings.isNetworkAllowed) {
    return refuse('blocked', 'This task has no network: give the path of an image in the sandbox, or its data.');
  }
  if (/^https?:/i.test(source)) return readAddress(source, fetchBytes, context.signal);
  const path = pathOf(source);
  if (path === undefined) {
    return refuse('invalid_args', `${shown(source)} is no http or https address, data or path in the sandbox.`);
  }
  return readSandboxFile(path, context);
}

function readDataUrl(source: string): Uint8Array | ToolResult {
  const decoded = decodeDataUrl(source, maxImageBytes);
  if (decoded.kind === 'decoded') return decoded.bytes;
  if (decoded.kind === 'too-large') return tooLarge('The image');
  return refuse('invalid_args', `The data address cannot be read: ${decoded.why}.`);
}

async function readAddress(url: string, fetchBytes: FetchBytes, signal: AbortSignal): Promise<Uint8Array | ToolResult> {
  try {
    const { bytes, isTruncated, status = 200 } = await fetchBytes(url, { signal, maxBytes: maxImageBytes });
    signal.throwIfAborted();
    if (status >= 300) return refuse(kindOfStatus(status), `${shown(url)} was not fetched: status ${status}.`);
    return isTruncated || bytes.length > maxImageBytes ? tooLarge(shown(url)) : bytes;
  } catch (error) {
    signal.throwIfAborted();
    const kind = fetchErrorKind(error);
    // It may be forbidden for what it holds, which is then not said again.
    const what = kind === 'blocked' ? (URL.parse(url)?.host ?? 'The address') : shown(url);
    return refuse(kind, `${what} was not fetched: ${truncateText(errorMessage(error), 300)}`);
  }
}

/** What may not be visited and what was not reached say themselves which of it it is. */
function fetchErrorKind(error: unknown): ToolErrorKind {
  if (error instanceof UrlRefusedError || error instanceof WebError) return error.kind;
  return 'network';
}

/** The path that is meant; `undefined` for an address of any other kind. */
function pathOf(source: string): string | undefined {
  if (/^file:\/\//i.test(source)) {
    try {
      return decodeURIComponent(new URL(source).pathname);
    } catch {
      return undefined;
    }
  }
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || source.includes('\0') ? undefined : source;
}

async function readSandboxFile(given: string, context: ToolCallContext): Promise<Uint8Array | ToolResult> {
  const { signal } = context;
  const sandbox = await context.sandbox();
  const path = await sandbox.resolvePath(given);
  const refusal = await refusalToRead(path, sandbox, signal);
  if (refusal !== undefined) return refuse('permission', `${shown(path)} is a device or belongs to a process.`);
  const stat = await sandbox.stat(path, { signal });
  if (stat === null) return refuse('not_found', `There is no file ${shown(path)} in the sandbox.`);
  if (stat.kind !== 'file') return refuse('invalid_args', `${shown(path)} is ${describeKind(stat.kind)}, not a file.`);
  if (stat.sizeBytes > maxImageBytes) return tooLarge(shown(path));
  const { bytes, isTruncated } = await sandbox.readFile(path, { maxBytes: maxImageBytes, signal });
  return isTruncated ? tooLarge(shown(path)) : bytes;
}

function tooLarge(what: string): ToolResult {
  return refuse('too_large', `${what} has more than ${maxImageBytes} bytes. Make it smaller first.`);
}

function refuse(kind: ToolErrorKind, message: string): ToolResult {
  return toolError(kind, message, { success: false });
}

function shown(source: string): string {
  return truncateText(source, 200);
}
