export { olmo3 } from './olmo3.ts';
