import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findKnownKeys, fingerprintOf, hostKeyType, judgeHostKey, knownHostLine } from './known-hosts.ts';

function keyOf(seed: number, type = 'ssh-ed25519'): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, Buffer.from(type), Buffer.from([0, 0, 0, 32]), Buffer.alloc(32, seed)]);
}

function hashed(name: string): string {
  const salt = Buffer.alloc(20, 7);
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}

const key = keyOf(1);
const shown = `ssh-ed25519 ${key.toString('base64')}`;

describe('the keys of a server', () => {
  test.each([
    ['a plain name', `example.org ${shown}`, 'example.org'],
    ['one of several names', `a.example,example.org,192.0.2.1 ${shown} a comment`, '192.0.2.1'],
    ['a name with a port', `[example.org]:2222 ${shown}`, '[example.org]:2222'],
    ['a hashed name', `${hashed('example.org')} ${shown}`, 'example.org'],
    ['a hashed name with a port', `${hashed('[example.org]:2222')} ${shown}`, '[example.org]:2222'],
    ['wildcards', `*.example.org ${shown}`, 'host-1.example.org'],
    ['wildcards for one character', `host-? ${shown}`, 'host-1'],
    ['capital letters', `Example.ORG ${shown}`, 'example.org'],
    ['tabs, blanks and Windows line ends', `  example.org\t${shown}\r\n`, 'example.org'],
    [
      'lines that cannot be read',
      `# example.org\nbroken\nexample.org ssh-rsa AAAA\n\nexample.org ${shown}`,
      'example.org',
    ],
  ])('are found by %s', (_how, text, name) => {
    expect(judgeHostKey(findKnownKeys(text, name), key)).toEqual({ kind: 'known' });
  });

  test.each([
    ['another name', `example.org ${shown}`, 'example.com'],
    ['another port', `[example.org]:2222 ${shown}`, '[example.org]:22222'],
    ['a name that is excluded', `*.example.org,!bad.example.org ${shown}`, 'bad.example.org'],
    ['another hashed name', `${hashed('example.org')} ${shown}`, 'example.com'],
    ['a broken hash', `|1|x ${shown}`, 'example.org'],
    ['a certificate authority', `@cert-authority example.org ${shown}`, 'example.org'],
    ['an unknown marker', `@trusted example.org ${shown}`, 'example.org'],
    ['a part of a pattern', `example.org* ${shown}`, 'an-example.org'],
  ])('are not found by %s', (_how, text, name) => {
    expect(judgeHostKey(findKnownKeys(text, name), key)).toEqual({ kind: 'new' });
  });

  test('have changed where only others are known, of whatever type', () => {
    const other = keyOf(2, 'ssh-rsa');
    const known = findKnownKeys(`\n${knownHostLine('example.org', other)}`, 'example.org');
    expect(judgeHostKey(known, key)).toEqual({ kind: 'changed', known: [{ key: other, lineNumber: 2 }] });
  });

  test('are refused where they are revoked, even if they are known too', () => {
    const text = `example.org ${shown}\n@revoked * ${shown}`;
    expect(judgeHostKey(findKnownKeys(text, 'example.org'), key)).toEqual({ kind: 'revoked' });
  });

  test('are found again after they were written down', () => {
    expect(findKnownKeys(knownHostLine('[h]:1', key), '[h]:1').trusted).toEqual([{ key, lineNumber: 1 }]);
  });

  test('are shown as OpenSSH shows them', () => {
    expect(fingerprintOf(key)).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect(hostKeyType(key)).toBe('ssh-ed25519');
  });

  test('are looked for in any text without failing', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, name) => {
        judgeHostKey(findKnownKeys(text, name), key);
      }),
    );
  });

  test('are looked for in a hostile pattern in reasonable time', () => {
    const name = 'a'.repeat(1_000);
    expect(findKnownKeys(`${'*a'.repeat(400)}b ${shown}`, name).trusted).toEqual([]);
  });
});
