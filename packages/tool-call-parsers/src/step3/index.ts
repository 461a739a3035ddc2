export { step3 } from '../invoke-tags/step3.ts';
