import { ConfigError, isTalariaError } from '@talaria/core';
import { defaultImage, type TerminalConfig } from '@talaria/environments';

/** Errors of an image that a backend looked for and cannot use. */
const imageCodes: ReadonlySet<string> = new Set(['config.missing-image', 'sandbox.pull-failed']);

/**
 * An error of the look before a run. One of an image is the user's to act on, since nothing was run, and says which setting
 * names the image; any other is given back as it is.
 */
export function explainPreflight(error: unknown, { image }: Pick<TerminalConfig, 'image'>): unknown {
  if (!isTalariaError(error) || !imageCodes.has(error.code)) return error;
  // Images of items are named by them, and no flag changes that.
  const isConfigured = image !== null && error.message.includes(image);
  const which = image === defaultImage ? `${image} is the default image; name another one` : 'Name another image';
  const hints = [error.hint, isConfigured ? `${which} with --image (terminal.image).` : undefined];
  return new ConfigError(error.message, {
    code: 'config.missing-image',
    hint: hints.filter((hint) => hint !== undefined).join(' '),
    cause: error,
  });
}
