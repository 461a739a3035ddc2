export { granite } from './granite.ts';
