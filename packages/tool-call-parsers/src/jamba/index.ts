export { jamba } from './jamba.ts';
