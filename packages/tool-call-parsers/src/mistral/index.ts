export { mistral } from './mistral.ts';
export { toMistralId } from './mistral-id.ts';
