export { kimiK2 } from './kimi-k2.ts';
