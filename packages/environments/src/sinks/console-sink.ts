import type { MetricRecord, MetricSink } from '../metric-sink.ts';

/** Options of {@link createConsoleSink}. */
export interface ConsoleSinkOptions {
  /** Which metrics are shown. @default all */
  readonly isShown?: ((name: string) => boolean) | undefined;
}

/** Creates a sink that writes one line of text per record: `step 3  train/reward_mean 0.83  …`. */
export function createConsoleSink(write: (text: string) => void, options: ConsoleSinkOptions = {}): MetricSink {
  const { isShown = () => true } = options;
  return {
    name: 'console',
    log(record) {
      write(`${renderRecord(record, isShown)}\n`);
    },
    async [Symbol.asyncDispose]() {},
  };
}

function renderRecord(record: MetricRecord, isShown: (name: string) => boolean): string {
  const metrics = Object.entries(record.metrics)
    .filter(([name]) => isShown(name))
    .map(([name, value]) => `${name} ${formatValue(value)}`);
  return [`step ${record.step}`, ...metrics].join('  ');
}

function formatValue(value: number | string): string {
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
