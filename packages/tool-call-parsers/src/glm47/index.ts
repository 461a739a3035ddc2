export { glm47 } from '../argument-pairs/argument-pairs.ts';
