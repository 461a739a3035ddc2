export { pythonic } from '../python-calls/python-lists.ts';
