export { hermes } from './hermes.ts';
