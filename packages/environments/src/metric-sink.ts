/** Numbers, and short texts, at one point of a run. */
export interface MetricRecord {
  /** Groups finished so far. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly split: 'train' | 'eval';
  readonly metrics: Readonly<Record<string, number | string>>;
}

/** Where metrics go. A sink never fails a run: what it cannot write it counts and logs. */
export interface MetricSink extends AsyncDisposable {
  readonly name: string;
  log(record: MetricRecord): void;
}
