export { internlm } from './internlm.ts';
