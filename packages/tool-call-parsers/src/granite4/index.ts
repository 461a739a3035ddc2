export { granite4 } from './granite4.ts';
