import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Makes the signed tokens of one double and knows them again. */
export interface TokenIssuer {
  /** A token for a subject. The SDK reads its `exp` and asks for another one when that is near. */
  issue(subject: string, lifetimeMs: number): string;
  /** Whether the token was issued here for this subject and is not over. */
  isValid(token: string, subject: string): boolean;
}

/** Creates an issuer. Tokens live by the real clock, as the SDK reads them by it. */
export function createTokenIssuer(): TokenIssuer {
  const key = randomBytes(32);
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    issue(subject, lifetimeMs) {
      const expiresAt = Math.floor((Date.now() + lifetimeMs) / 1000);
      const body = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: subject, exp: expiresAt })}`;
      return `${body}.${sign(body)}`;
    },
    isValid(token, subject) {
      const [header = '', claims = '', signature = ''] = token.split('.');
      const wanted = Buffer.from(sign(`${header}.${claims}`));
      const given = Buffer.from(signature);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return false;
      const { sub, exp }: { sub?: unknown; exp?: unknown } = JSON.parse(Buffer.from(claims, 'base64url').toString());
      return sub === subject && typeof exp === 'number' && exp > Date.now() / 1000;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
