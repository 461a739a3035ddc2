export { step3 } from '../invoke-tags/invoke-tags.ts';
