export { llama4Pythonic } from '../python-calls/python-lists.ts';
