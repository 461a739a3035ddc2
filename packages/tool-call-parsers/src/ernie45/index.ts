export { ernie45 } from './ernie45.ts';
