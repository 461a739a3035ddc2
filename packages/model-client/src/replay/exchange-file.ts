import { open } from 'node:fs/promises';
import { isAbortOf, type Logger, parseJson, StateError, silentLogger, systemErrorCode } from '@talaria/core';
import { parseExchange, type RecordedExchange } from './recorded-exchange.ts';

/** Options of {@link readExchanges}. */
export interface ReadExchangesOptions {
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a recording. A last line that was cut off is left out, with a warning.
 * @throws StateError `state.missing`, `state.unreadable`, `state.malformed`
 */
export async function readExchanges(path: string, options: ReadExchangesOptions = {}): Promise<RecordedExchange[]> {
  const { logger = silentLogger, signal } = options;
  const exchanges: RecordedExchange[] = [];
  let torn: { readonly lineNumber: number; readonly message: string } | undefined;
  let lineNumber = 0;
  for await (const line of readLines(path, signal)) {
    lineNumber += 1;
    // Only the last line may be torn: one before it was damaged otherwise.
    if (torn !== undefined) throw malformedLine(path, torn.lineNumber, torn.message);
    if (line.trim() === '') continue;
    const parsed = parseJson(line);
    if (parsed.ok) exchanges.push(parseExchange(parsed.value, `Line ${lineNumber} of ${path}`));
    else torn = { lineNumber, message: parsed.message };
  }
  if (torn !== undefined) logger.warn('replay.torn-line', { path, lineNumber: torn.lineNumber });
  return exchanges;
}

/** A recording that grows. Lines are written one after the other; disposing waits for the last. */
export interface ExchangeFile extends AsyncDisposable {
  append(line: string): Promise<void>;
}

/**
 * Opens a recording to append to it; one that does not exist is created, for its owner's eyes only.
 * A last line that was cut off is taken away first.
 * @throws StateError `state.unwritable`
 */
export async function openExchangeFile(path: string): Promise<ExchangeFile> {
  const file = await open(path, 'a+', 0o600).catch((error: unknown) => {
    throw fileError('open', path, error, 'state.unwritable');
  });
  try {
    await file.truncate(await endOfLastLine(file));
  } catch (error) {
    await file.close();
    throw fileError('write', path, error, 'state.unwritable');
  }
  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  return {
    async append(line) {
      const write = last.then(() => file.appendFile(`${line}\n`));
      // A failed line is its caller's to hear of; those after it are tried all the same.
      last = write.catch(() => undefined);
      await write.catch((error: unknown) => {
        throw fileError('write', path, error, 'state.unwritable');
      });
    },
    [Symbol.asyncDispose]() {
      closing ??= last.then(() => file.close());
      return closing;
    },
  };
}

async function* readLines(path: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  signal?.throwIfAborted();
  try {
    await using file = await open(path, 'r');
    for await (const line of file.readLines({ encoding: 'utf8', ...(signal === undefined ? {} : { signal }) })) {
      signal?.throwIfAborted();
      yield line;
    }
  } catch (error) {
    if (isAbortOf(error, signal) || systemErrorCode(error) === undefined) throw error;
    throw fileError('read', path, error, systemErrorCode(error) === 'ENOENT' ? 'state.missing' : 'state.unreadable');
  }
}

/** Bytes read at a time while looking for the end of the last whole line. */
const blockBytes = 65_536;

async function endOfLastLine(file: Awaited<ReturnType<typeof open>>): Promise<number> {
  const { size } = await file.stat();
  const block = Buffer.alloc(blockBytes);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    const newline = block.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

function malformedLine(path: string, lineNumber: number, message: string): StateError {
  return new StateError(`Line ${lineNumber} of ${path} is no JSON: ${message}`, {
    code: 'state.malformed',
    hint: 'Take the line out, or record the file again.',
  });
}

function fileError(action: string, path: string, error: unknown, code: `state.${string}`): StateError {
  return new StateError(`Cannot ${action} the recording ${path} (${systemErrorCode(error) ?? String(error)})`, {
    code,
    hint:
      code === 'state.missing'
        ? 'Record it first, or check the path.'
        : 'Check that the folder exists, that you have the right to it, and that the disk has space.',
    cause: error,
  });
}
