import type { FileStat, TransferOptions, TransferResult } from '../../sandbox.ts';
import type { CarriedFileSource } from '../file-carrier.ts';
import { remoteError } from '../remote-error.ts';
import { downloadTree } from './download-tree.ts';
import { type FileCall, onHost } from './file-call.ts';
import { readLine } from './read-file.ts';
import { expectSuccess, withScript } from './running-script.ts';
import { saveFile } from './save-file.ts';
import { downloadScript } from './transfer-scripts.ts';

/** Copies a file or a folder of the sandbox to the host. */
export async function downloadPath(
  call: FileCall,
  hostPath: string,
  options: TransferOptions,
): Promise<TransferResult> {
  return await onHost(call, hostPath, async () => {
    const done = await downloadByScript(call, hostPath, options, true);
    if (!('carriedPath' in done)) return done;
    const { carriedPath, stat } = done;
    const source = await findSource(call, carriedPath);
    if (source !== null) {
      try {
        return await saveFile(call, hostPath, options, { stat, content: source.content });
      } finally {
        source.close();
      }
    }
    const result = await downloadByScript(call, hostPath, options, false);
    if (!('carriedPath' in result)) return result;
    throw noContent(call);
  });
}

/** A file that a carrier reaches: its real path. */
interface CarriedFile {
  readonly carriedPath: string;
  readonly stat: FileStat;
}

async function downloadByScript(
  call: FileCall,
  hostPath: string,
  options: TransferOptions,
  mayCarry: boolean,
): Promise<TransferResult | CarriedFile> {
  const { carrier } = call.parts;
  const sizes = mayCarry && carrier !== undefined ? [String(carrier.minBytes), String(carrier.maxBytes)] : ['', ''];
  return await withScript(call, [downloadScript, sizes], false, async (running) => {
    const streamed = await readLine(running, call);
    switch (streamed.kind) {
      case 'C':
        return { carriedPath: await readPath(streamed.content, call), stat: streamed.stat };
      case 'D':
        return await downloadTree(call, hostPath, options, { running, streamed });
      default:
        return await saveFile(call, hostPath, options, { ...streamed, finish: () => expectSuccess(running, call) });
    }
  });
}

/** Reads a path that is ended by NUL. */
async function readPath(content: AsyncIterable<Buffer>, call: FileCall): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) {
    const end = chunk.indexOf(0);
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
    if (end >= 0) return Buffer.concat(chunks).toString();
  }
  throw noContent(call);
}

/** `null` where the carrier cannot take it, for whatever reason: a script may have more luck, or says why not. */
async function findSource({ parts, signal }: FileCall, path: string): Promise<CarriedFileSource | null> {
  try {
    return (await parts.carrier?.get(path, signal)) ?? null;
  } catch {
    signal?.throwIfAborted();
    return null;
  }
}

function noContent({ backend, path }: FileCall): unknown {
  return remoteError(backend, `The script that was to send ${JSON.stringify(path)} sent nothing of it`, {
    code: 'sandbox.failed',
    phase: 'transfer',
    started: true,
    hint: 'Look whether the sandbox still runs, and do it again.',
  });
}
