export { openReplayModel, type ReplayOptions } from './open-replay-model.ts';
export { type ExchangeSink, type RecordOptions, recordModel } from './record-model.ts';
