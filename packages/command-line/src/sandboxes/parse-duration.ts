const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `90s`, `30m`, `2h`, `1d` or several of them as in `1h30m`, as milliseconds; `null` for anything else. */
export function parseDuration(text: string): number | null {
  if (!/^(?:\d+(?:\.\d+)?[smhd])+$/u.test(text)) return null;
  let totalMs = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)([smhd])/gu)) {
    if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') totalMs += Number(count) * unitMs[unit];
  }
  return Number.isSafeInteger(Math.round(totalMs)) ? Math.round(totalMs) : null;
}
