export {
  type Rollout,
  type RolloutStatus,
  type RolloutTiming,
  type RolloutToolCall,
  type RolloutToolError,
  type RolloutTurn,
  type RolloutVersions,
  rolloutSchema,
  type SamplingSettings,
  type TokenBranch,
} from './rollout.ts';
export { decodeRollout, encodeRollout } from './rollout-codec.ts';
