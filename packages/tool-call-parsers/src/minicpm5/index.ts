export { minicpm5 } from './minicpm5.ts';
