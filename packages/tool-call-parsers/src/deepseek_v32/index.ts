export { deepseekV32 } from '../invoke-tags/dsml.ts';
