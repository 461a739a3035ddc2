export { gptOss } from './gpt-oss.ts';
