export { hunyuanA13b } from './hunyuan-a13b.ts';
