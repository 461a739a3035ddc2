export { qwen } from './qwen.ts';
