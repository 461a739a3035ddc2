export { seedOss } from '../function-tags/function-tags.ts';
