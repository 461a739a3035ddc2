export type {
  ConfigDefaults,
  Environment,
  EnvironmentContext,
  EvaluatedRollout,
  ItemContext,
  RewardContext,
  RewardResult,
} from './environment.ts';
export type { MetricRecord, MetricSink } from './metric-sink.ts';
