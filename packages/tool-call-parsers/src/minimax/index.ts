export { minimax } from './minimax.ts';
