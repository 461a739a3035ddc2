export { kimiK3 } from './kimi-k3.ts';
