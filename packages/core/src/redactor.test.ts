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

  test('finds encoded secrets that are broken into lines, and leaves the breaks around them', () => {
    const key = 'k3y-'.repeat(32);
    const redactKey = createRedactor([new Secret('KEY', key), new Secret('PART', key.slice(0, 40))]);
    const lines = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, 'g'))?.join('\n') ?? '';
    for (const encoded of [
      lines(Buffer.from(`A=${key}\nB=1`).toString('base64'), 76),
      lines(Buffer.from(key).toString('base64'), 64).replaceAll('\n', '\r\n  '),
      lines(Buffer.from(`${key}\n`).toString('hex'), 60),
    ]) {
      for (const write of [
        (text: string) => text,
        JSON.stringify,
        (text: string) => JSON.stringify(JSON.stringify(text)),
      ]) {
        const text = write(`first line\n${encoded}\nlast line\n`);
        const redacted = redactKey(text);
        expect(redacted).toMatch(/first line(\n|\\+n)[^ ]{0,6}\[redacted:KEY\][^ ]{0,14}last line/);
        expect(redacted.length).toBeLessThan(70);
      }
    }
  });

  test('reads runs of backslashes and line breaks once', () => {
    // With the square of their number it would take hours.
    for (const run of ['\\', '\\n', '\\r', '\n', '\r', ' ', '\n ']) {
      const text = run.repeat(2_000_000);
      expect(redact(text)).toBe(text);
    }
  });

  test('finds encoded secrets wherever lines are broken', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 12, maxLength: 60, unit: 'grapheme' }),
        fc.array(fc.nat(200), { maxLength: 5 }),
        fc.constantFrom('base64' as const, 'hex' as const),
        (hidden, places, encoding) => {
          const encoded = Buffer.from(hidden).toString(encoding);
          const cuts = [...new Set(places.map((place) => place % encoded.length))].sort((left, right) => left - right);
          const parts = [0, ...cuts].map((start, index) => encoded.slice(start, cuts[index]));
          const redactHidden = createRedactor([new Secret('KEY', hidden)]);
          expect(redactHidden(`<\n${parts.join('\n')}\n>`)).toMatch(/^<\n+\[redacted:KEY\]\n+>$/);
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
