import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '@talaria/core';
import { catchFileFault } from './file-fault.ts';
import type { ToolContext } from './tool-context.ts';
import type {
  UpstreamDownloadResult,
  UpstreamReadResult,
  UpstreamSearchResult,
  UpstreamToolContext,
  UpstreamToolResult,
  UpstreamUploadResult,
} from './upstream-wire.ts';
import { listHostFiles, listSandboxFiles } from './walk-tree.ts';

/** Matches that upstream's `search` returns at most. */
const searchLimit = 50;

/** Wraps a {@link ToolContext} in upstream's names and dictionaries. */
export function createUpstreamToolContext(context: ToolContext): UpstreamToolContext {
  async function callTool(name: string, args: JsonObject): Promise<UpstreamToolResult> {
    return parseToolJson((await context.callTool(name, args)).content);
  }

  return {
    task_id: context.taskId,
    async terminal(command, timeout = 180) {
      const outcome = await context.terminal(command, { timeoutMs: timeout * 1_000 });
      const error = outcome.isTimedOut ? `Command timed out after ${timeout} seconds` : null;
      return { output: outcome.output, exit_code: outcome.exitCode, error };
    },
    async read_file(path) {
      return { ...unreadFile, ...(await callTool('read_file', { path, offset: 1, limit: 500 })) };
    },
    write_file(path, content) {
      return catchFileFault(
        async () => {
          const hadFolder = await context.exists(dirname(path));
          await context.writeFile(path, content);
          return { bytes_written: Buffer.byteLength(content), dirs_created: !hadFolder };
        },
        (error) => ({ bytes_written: 0, dirs_created: false, error }),
      );
    },
    upload_file: (localPath, remotePath) => uploadOne(context, localPath, remotePath),
    upload_dir: (localFolder, remoteFolder) => uploadAll(context, localFolder, remoteFolder),
    download_file: (remotePath, localPath) => downloadOne(context, remotePath, localPath),
    download_dir: (remoteFolder, localFolder) => downloadAll(context, remoteFolder, localFolder),
    search: (query, path = '.') => search(context, query, path),
    web_search: (query) => callTool('web_search', { query }),
    web_extract: (urls) => callTool('web_extract', { urls }),
    browser_navigate: (url) => callTool('browser_navigate', { url }),
    browser_snapshot: () => callTool('browser_snapshot', {}),
    async call_tool(name, args) {
      return (await context.callTool(name, asJson(args))).content;
    },
    cleanup: () => context.cleanup(),
  };
}

/** Fields that upstream's result always has, be there a file or not. */
const unreadFile: UpstreamReadResult = {
  content: '',
  total_lines: 0,
  file_size: 0,
  truncated: false,
  is_binary: false,
  is_image: false,
};

function parseToolJson(content: string): UpstreamToolResult {
  const parsed = parseJson(content);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : { error: content };
}

/** Arguments as they would arrive on the wire. */
function asJson(args: Readonly<Record<string, unknown>>): JsonObject {
  const parsed = parseJson(JSON.stringify(args));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

function uploadOne(context: ToolContext, localPath: string, remotePath: string): Promise<UpstreamUploadResult> {
  return catchFileFault(
    async () => {
      await context.uploadFile(localPath, remotePath);
      return { output: '', exit_code: 0 };
    },
    (output) => ({ output, exit_code: -1 }),
  );
}

async function uploadAll(
  context: ToolContext,
  localFolder: string,
  remoteFolder: string,
): Promise<readonly UpstreamUploadResult[]> {
  const files = await listHostFiles(localFolder).catch(() => null);
  if (files === null) return [{ output: `Local directory not found: ${localFolder}`, exit_code: -1 }];
  const results: UpstreamUploadResult[] = [];
  for (const file of files) results.push(await uploadOne(context, join(localFolder, file), `${remoteFolder}/${file}`));
  return results;
}

function downloadOne(context: ToolContext, remotePath: string, localPath: string): Promise<UpstreamDownloadResult> {
  return catchFileFault(
    async () => {
      const { bytes } = await context.downloadFile(remotePath, localPath);
      return { success: true as const, bytes };
    },
    (error) => ({ success: false as const, error }),
  );
}

async function downloadAll(
  context: ToolContext,
  remoteFolder: string,
  localFolder: string,
): Promise<readonly UpstreamDownloadResult[]> {
  return catchFileFault<readonly UpstreamDownloadResult[], readonly UpstreamDownloadResult[]>(
    async () => {
      const results: UpstreamDownloadResult[] = [];
      for (const file of await listSandboxFiles(await context.sandbox(), remoteFolder)) {
        results.push(await downloadOne(context, `${remoteFolder}/${file}`, join(localFolder, file)));
      }
      return results;
    },
    (error) => [{ success: false, error }],
  );
}

function search(context: ToolContext, pattern: string, path: string): Promise<UpstreamSearchResult> {
  return catchFileFault(
    async () => {
      const found = await context.search(pattern, { path, limit: searchLimit + 1 });
      const matches = found.slice(0, searchLimit);
      const total = { total_count: matches.length, matches };
      return found.length > searchLimit ? { ...total, truncated: true as const } : total;
    },
    (error) => ({ error }),
  );
}
