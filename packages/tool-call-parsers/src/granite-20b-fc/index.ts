export { granite20bFc } from './granite-20b-fc.ts';
