import { ConfigError, type Secret } from '@talaria/core';

/**
 * Checks the address of a service, and gives it without a final slash, so that paths can be added. What is wrong is told
 * without the address, which may hold a key.
 *
 * @throws ConfigError `config.invalid` where it is no complete address of `http:` or `https:`, or holds more than a path
 */
export function parseBaseUrl(service: string, baseUrl: string): string {
  const url = /^https?:\/\//i.test(baseUrl) ? URL.parse(baseUrl) : null;
  if (url === null) {
    throw invalid(
      `The address of ${service} is no address of http or https`,
      'Write it whole, for example http://localhost:8080.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      `The address of ${service} holds a user name or password`,
      'Leave them out: they are not sent, and addresses are shown in errors.',
    );
  }
  if (/[?#]/.test(url.href)) {
    throw invalid(`The address of ${service} has a query or a fragment`, 'Leave out what begins with "?" or "#".');
  }
  return url.href.replace(/\/+$/, '');
}

/** Checks that a key can be sent. @throws ConfigError `config.invalid`, without the key */
export function checkApiKey(apiKey: Secret): void {
  if (/^[\x21-\x7e]+$/.test(apiKey.reveal())) return;
  throw invalid(
    `The key ${apiKey.name} cannot be sent in a header`,
    'Look for white space, a line break or quotation marks of a word processor in it.',
  );
}

function invalid(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
