export { gemma4 } from '../gemma/gemma.ts';
