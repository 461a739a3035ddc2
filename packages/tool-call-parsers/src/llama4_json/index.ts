export { llama4Json } from '../llama-json/llama-json.ts';
