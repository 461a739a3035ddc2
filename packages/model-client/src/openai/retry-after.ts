/**
 * The wait that an answer asks for, in milliseconds: `retry-after-ms`, else `Retry-After` as seconds or as an HTTP date.
 * Undefined where neither says anything that can be read; 0 for a date that has passed.
 */
export function retryAfterMsOf(headers: Pick<Headers, 'get'>, nowMs: number): number | undefined {
  const milliseconds = headers.get('retry-after-ms')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(milliseconds)) return Number(milliseconds);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  // Only the date form of HTTP: Date.parse alone would read "-5" and other nonsense as years.
  const dateMs = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
