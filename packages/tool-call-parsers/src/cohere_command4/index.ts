export { cohereCommand4 } from './cohere-command4.ts';
