export { phi4MiniJson } from './phi4-mini-json.ts';
