export { glm45 } from '../argument-pairs/argument-pairs.ts';
