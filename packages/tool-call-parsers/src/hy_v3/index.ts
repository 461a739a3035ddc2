export { hyV3 } from '../argument-pairs/argument-pairs.ts';
