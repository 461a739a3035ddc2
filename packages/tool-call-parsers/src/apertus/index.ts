export { apertus } from './apertus.ts';
