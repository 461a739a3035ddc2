export { minimaxM2 } from '../invoke-tags/invoke-tags.ts';
