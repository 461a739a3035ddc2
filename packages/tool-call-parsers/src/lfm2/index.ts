export { lfm2 } from '../python-calls/python-lists.ts';
