import { ConfigError } from '@talaria/core';
import type { ToolSettings } from './tool.ts';

/** What {@link ToolSettings} are where nothing else is said. */
export const defaultToolSettings: ToolSettings = {
  terminalTimeoutMs: 120_000,
  maxForegroundMs: 600_000,
  maxOutputChars: 50_000,
  collapseCarriageReturns: true,
  lineNumberStyle: 'compact',
  repeatPolicy: 'warn',
  isNetworkAllowed: true,
  lint: true,
  safeRoot: null,
  searchEngine: 'auto',
  codeTimeoutMs: 300_000,
  maxCodeCalls: 50,
  maxCodeStderrChars: 10_000,
  appendCodeStderr: false,
};

const limitNames = [
  'terminalTimeoutMs',
  'maxForegroundMs',
  'maxOutputChars',
  'codeTimeoutMs',
  'maxCodeCalls',
  'maxCodeStderrChars',
] as const;

/** Fills in the defaults. @throws ConfigError `config.invalid` for a limit that is not a positive number */
export function resolveToolSettings(settings: Partial<ToolSettings> = {}): ToolSettings {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const resolved: ToolSettings = { ...defaultToolSettings, ...given };
  for (const name of limitNames) {
    const value = resolved[name];
    if (!(value > 0)) {
      throw new ConfigError(`Tool setting ${name} is ${value}`, {
        code: 'config.invalid',
        hint: 'Give a number greater than 0.',
      });
    }
  }
  if (resolved.safeRoot !== null && !resolved.safeRoot.startsWith('/')) {
    throw new ConfigError(`Tool setting safeRoot is not an absolute path: ${resolved.safeRoot}`, {
      code: 'config.invalid',
      hint: 'Give the absolute path of a folder inside the sandbox.',
    });
  }
  return resolved;
}
