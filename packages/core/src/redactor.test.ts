import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { createRedactor, Secret, secretForms } from '@talaria/core';
import fc from 'fast-check';

describe('createRedactor', () => {
  const value = 'sk+very/secret "value" äé 1';
  const secret = new Secret('KEY', value);
  const redact = createRedactor([secret]);

  test.each([
    ['as it is', value],
    ['in JSON', JSON.stringify({ value })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ value }))],
    ['in an address', `https://x.example/?k=${encodeURIComponent(value)}&z=1`],
    ['in an address with small escapes', encodeURIComponent(value).replace(/%../g, (text) => text.toLowerCase())],
    ['in a form', new URLSearchParams({ value }).toString()],
    ['in hexadecimal digits', Buffer.from(value).toString('hex')],
    ['in large hexadecimal digits', Buffer.from(value).toString('hex').toUpperCase()],
  ])('finds a secret %s', (_title, text) => {
    const redacted = redact(text);
    expect(redacted).toContain('[redacted:KEY]');
    for (const form of secretForms(secret)) expect(redacted).not.toContain(form);
  });

  test('finds a secret in Base64, whatever stands around it', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 20 }),
        fc.uint8Array({ minLength: 12, maxLength: 60 }),
        fc.uint8Array({ maxLength: 20 }),
        fc.constantFrom('base64' as const, 'base64url' as const),
        (before, middle, after, encoding) => {
          const hidden = Buffer.from(middle).toString('hex');
          const text = Buffer.concat([before, Buffer.from(hidden), after]).toString(encoding);
          expect(createRedactor([new Secret('KEY', hidden)])(`<${text}>`)).toContain('[redacted:KEY]');
        },
      ),
    );
  });

  test('takes the longer of two secrets out as a whole', () => {
    const both = createRedactor([new Secret('SHORT', 'abcdefgh'), new Secret('LONG', 'abcdefgh-ijkl')]);
    expect(both('abcdefgh-ijkl abcdefgh')).toBe('[redacted:LONG] [redacted:SHORT]');
  });

  test('leaves short values and other text as they are', () => {
    expect(createRedactor([new Secret('A', 'a')])('a b')).toBe('a b');
    expect(redact('nothing here')).toBe('nothing here');
  });
});
