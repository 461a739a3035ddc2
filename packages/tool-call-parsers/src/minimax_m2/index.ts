export { minimaxM2 } from '../invoke-tags/minimax-m2.ts';
