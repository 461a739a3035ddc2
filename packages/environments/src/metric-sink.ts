/** Numbers, and short texts, at one point of a run. */
export interface MetricRecord {
  /** Groups decided so far; in the one record of an evaluation, its samples. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly split: 'train' | 'eval';
  readonly metrics: Readonly<Record<string, number | string>>;
}

/**
 * Where metrics go. A sink never fails a run: what it cannot write it counts and logs. Drivers call `log` and nothing
 * else: whoever made a sink disposes of it, once the driver has returned.
 */
export interface MetricSink extends AsyncDisposable {
  readonly name: string;
  log(record: MetricRecord): void;
}
