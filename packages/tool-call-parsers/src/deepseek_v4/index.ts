export { deepseekV4 } from '../invoke-tags/invoke-tags.ts';
