export { createItemKeys, type ItemKeys } from './item-keys.ts';
export type { DamagedLine, ResumeReport } from './journal-scan.ts';
export { type LineWriter, type LineWriterOptions, openLineWriter } from './line-writer.ts';
export { readRunManifest } from './manifest-file.ts';
export type { RowKey, SampleKey } from './rollout-index.ts';
export { openRunFolder, type ReadOptions, type RunFolder, type RunFolderOptions } from './run-folder.ts';
export type { RunDescription, RunManifest } from './run-manifest.ts';
export { openUniqueFile, type UniqueFile } from './unique-file.ts';
export { type TextSource, type WriteAtomicOptions, writeAtomic } from './write-atomic.ts';
