export { finalAnswer, firstPrompt } from './final-answer.ts';
export { type GroupLineOptions, toGroupLine } from './group-line.ts';
export { countGroups, type GroupTotals } from './html/group-totals.ts';
export { type GroupsHtmlOptions, renderGroupsHtml, type SkippedLine } from './html/groups-html.ts';
export type { GroupLines } from './html/shown-group.ts';
export { itemIdOf } from './item-id.ts';
export { messageReasoning } from './message-reasoning.ts';
export {
  type Rollout,
  type RolloutNestedCall,
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
export { toRolloutRow } from './rollout-row.ts';
export { rolloutText } from './rollout-text.ts';
export { type SampleRowOptions, sampleIdOf, toSampleRow } from './sample-row.ts';
export { countToolCalls, type ToolCount, type ToolStatistics } from './tool-statistics.ts';
