export { deepseekV32 } from '../invoke-tags/invoke-tags.ts';
