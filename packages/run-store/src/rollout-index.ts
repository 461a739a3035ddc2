/** One sample of one item. */
export interface SampleKey {
  readonly itemKey: string;
  /** 0-based. */
  readonly sample: number;
}

/** One attempt at a sample: what a record is known by. */
export interface RowKey extends SampleKey {
  /** 1-based. */
  readonly attempt: number;
}

/** Where a record stands. */
export interface RecordPlace {
  readonly path: string;
  readonly offset: number;
  /** Bytes, the newline included. */
  readonly length: number;
}

interface IndexedRecord {
  readonly sample: number;
  readonly attempt: number;
  readonly isMasked: boolean;
  /** `null` until it is on disk. */
  place: RecordPlace | null;
}

/** What an index must know of a record. A `Rollout` has it all. */
export interface IndexedFields extends RowKey {
  readonly isMasked: boolean;
}

/** The keys of a run's records and where they stand; never the records themselves. */
export class RolloutIndex {
  readonly #items = new Map<string, IndexedRecord[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  has(key: RowKey): boolean {
    return this.#find(key) !== undefined;
  }

  isDone(key: SampleKey): boolean {
    return this.#recordsOf(key.itemKey).some((record) => record.sample === key.sample && !record.isMasked);
  }

  lastAttempt(key: SampleKey): number {
    let last = 0;
    for (const record of this.#recordsOf(key.itemKey)) {
      if (record.sample === key.sample && record.attempt > last) last = record.attempt;
    }
    return last;
  }

  /**
   * Takes a key. `place` is `null` where the record is yet to be written: then {@link settle} or {@link release} follows.
   * `false` where the key is taken: the first record of a key is the one that counts.
   */
  add(fields: IndexedFields, place: RecordPlace | null): boolean {
    if (this.has(fields)) return false;
    const records = this.#recordsOf(fields.itemKey);
    records.push({ sample: fields.sample, attempt: fields.attempt, isMasked: fields.isMasked, place });
    this.#items.set(fields.itemKey, records);
    this.#count += 1;
    return true;
  }

  /** The record is on disk. */
  settle(key: RowKey, place: RecordPlace): void {
    const record = this.#find(key);
    if (record !== undefined) record.place = place;
  }

  /** The record could not be written: its key is free again. */
  release(key: RowKey): void {
    const records = this.#recordsOf(key.itemKey).filter((record) => !isOf(record, key));
    this.#items.set(key.itemKey, records);
    this.#count -= 1;
  }

  /** Whether the record at this place is the one that counts for its key. */
  isAt(key: RowKey, path: string, offset: number): boolean {
    const place = this.#find(key)?.place;
    return place?.offset === offset && place.path === path;
  }

  /** Where the records of an item are on disk, by sample, then attempt. */
  placesOf(itemKey: string): readonly RecordPlace[] {
    return [...this.#recordsOf(itemKey)]
      .sort((left, right) => left.sample - right.sample || left.attempt - right.attempt)
      .flatMap(({ place }) => (place === null ? [] : [place]));
  }

  #recordsOf(itemKey: string): IndexedRecord[] {
    return this.#items.get(itemKey) ?? [];
  }

  #find(key: RowKey): IndexedRecord | undefined {
    return this.#recordsOf(key.itemKey).find((record) => isOf(record, key));
  }
}

function isOf(record: IndexedRecord, key: RowKey): boolean {
  return record.sample === key.sample && record.attempt === key.attempt;
}
