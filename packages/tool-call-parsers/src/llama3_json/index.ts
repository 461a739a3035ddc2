export { llama3Json } from '../llama-json/llama-json.ts';
