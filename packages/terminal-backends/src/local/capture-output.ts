import type { Socket } from 'node:net';
import { type CapturedOutput, type CollectOptions, createOutputCollector, type Draining } from '../output-collector.ts';
import type { StartedChild } from './child-process.ts';

/** The output of a child while it is being read. */
export interface OutputCapture extends Draining {
  /** What was kept so far. */
  read(): CapturedOutput;
}

/** Starts reading a child's streams. What is beyond the limit is read all the same, so that the child never blocks. */
export function captureOutput(child: StartedChild, options: CollectOptions): OutputCapture {
  const collector = createOutputCollector(options);

  function collect(stream: Socket, take: (chunk: Uint8Array) => void): Promise<void> {
    stream.on('data', take);
    return new Promise((resolve) => {
      stream.once('end', resolve).once('close', resolve);
    });
  }

  const ended = [collect(child.stdout, collector.takeOutput)];
  if (child.stderr !== null) ended.push(collect(child.stderr, collector.takeStderr));
  return { ended: Promise.all(ended), lastChunkAtMs: () => collector.lastChunkAtMs, read: collector.read };
}
