export { functiongemma } from '../gemma/gemma.ts';
