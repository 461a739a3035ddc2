export { qwen3Xml } from '../function-tags/function-tags.ts';
