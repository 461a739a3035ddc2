export { minimaxM3 } from './minimax-m3.ts';
