import { expect, test } from '@jest/globals';
import { findRoute } from './route-table.ts';

const routes = { 'GET /a/{id}': 1, 'GET /a/all': 2, 'POST /a': 3, 'GET /a/{id}/b/{other}': 4 };

test.each([
  ['GET', '/a/x%2Fy', { route: 'GET /a/{id}', handler: 1, parameters: { id: 'x/y' } }],
  ['GET', '/a/all', { route: 'GET /a/all', handler: 2, parameters: {} }],
  ['POST', '/a', { route: 'POST /a', handler: 3, parameters: {} }],
  ['GET', '/a/1/b/2', { route: 'GET /a/{id}/b/{other}', handler: 4, parameters: { id: '1', other: '2' } }],
  ['POST', '/a/x', null],
  ['GET', '/a', null],
])('%s %s', (method, path, match) => {
  expect(findRoute<number>(routes, method, path)).toEqual(match);
});
