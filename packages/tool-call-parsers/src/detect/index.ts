export { detectFormat, detectFormats } from './detect-format.ts';
export type { DetectedFormat, DetectionConfidence } from './detected-format.ts';
