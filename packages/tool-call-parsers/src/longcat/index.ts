export { longcat } from './longcat.ts';
