import type { JsonObject, Logger } from '@talaria/core';
import { type LineWriter, openLineWriter, type RunFolder, writeAtomic } from '@talaria/run-store';
import { type Rollout, sampleIdOf, toSampleRow } from '@talaria/trajectories';
import { closeWriter } from '../output/close-writer.ts';
import type { ShownOutput } from '../output/trajectory-page.ts';
import { hasPassed } from './evaluation-metrics.ts';

/** The file `samples.jsonl` of an evaluation, written while it goes on. */
export interface SampleOutput extends ShownOutput, AsyncDisposable {
  /** Writes a sample, unless the file holds it already. */
  write(rollout: Rollout): Promise<void>;
}

/**
 * Opens the file. That of a resumed evaluation is made anew from the journal, so that a sample which could not be scored
 * then does not stand there beside the one that is run now.
 */
export async function openSampleOutput(folder: RunFolder, path: string, logger: Logger): Promise<SampleOutput> {
  const written = new Set<string>();
  if (folder.isResumed) await writeAtomic(path, scoredLines(folder, written));
  let opening: Promise<LineWriter> | undefined;
  return {
    path,
    async write(rollout) {
      const id = sampleIdOf(rollout);
      if (written.has(id)) return;
      written.add(id);
      opening ??= openLineWriter(path, { resume: true, logger });
      await (await opening).append(toLine(rollout));
    },
    async flush() {
      await (await opening)?.flush();
    },
    async [Symbol.asyncDispose]() {
      await closeWriter(opening);
    },
  };
}

async function* scoredLines(folder: RunFolder, written: Set<string>): AsyncGenerator<string> {
  for await (const rollout of folder.rollouts()) {
    const id = sampleIdOf(rollout);
    if (rollout.reward === null || written.has(id)) continue;
    written.add(id);
    yield `${JSON.stringify(toLine(rollout))}\n`;
  }
}

/** What counts in `eval/pass_rate` is `correct`. */
function toLine(rollout: Rollout): JsonObject {
  return toSampleRow(rollout, { isCorrect: hasPassed(rollout) });
}
