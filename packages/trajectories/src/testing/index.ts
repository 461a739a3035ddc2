export { sampleRollout } from './sample-rollout.ts';
