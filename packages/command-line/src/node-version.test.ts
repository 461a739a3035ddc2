import { expect, test } from '@jest/globals';
import { describeOldNode } from './node-version.ts';

test.each(['22.19.0', '22.20.1', '23.0.0', '24.1.0', '100.0.0'])('Node %s is new enough', (version) => {
  expect(describeOldNode(version)).toBeNull();
});

test.each(['22.18.9', '20.20.2', '8.0.0'])('Node %s is named, with what is needed', (version) => {
  expect(describeOldNode(version)).toContain(`Talaria needs Node 22.19 or newer; this is ${version}`);
});
