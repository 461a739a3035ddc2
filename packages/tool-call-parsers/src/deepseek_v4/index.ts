export { deepseekV4 } from '../invoke-tags/dsml.ts';
