export { qwen3Coder } from '../function-tags/function-tags.ts';
