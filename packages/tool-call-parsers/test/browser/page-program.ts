import { readVectors, type VectorReading } from '../vector-readings.ts';

/** Runs in the page, and in a worker of it: what the parsers make there of the vectors that the server has. */
export const readings: Promise<Readonly<Record<string, readonly VectorReading[]>>> = fetch('/vectors.json')
  .then((response) => response.json() as Promise<Record<string, string>>)
  .then(readVectors);
