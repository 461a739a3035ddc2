/** A reward, with three digits after the point; a dash where there is none. */
export function formatReward(reward: number | null): string {
  return reward === null ? '-' : reward.toFixed(3);
}

/** A count in few characters: `950`, `12.3k`, `4.5M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** A time that has passed: `1.5 s`, from a minute on as {@link formatDuration}. */
export function formatElapsed(durationMs: number): string {
  return durationMs < 59_950 ? `${(durationMs / 1_000).toFixed(1)} s` : formatDuration(durationMs);
}

/** A duration as `0:07`, `12:34` or `1:02:03`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const tail = `${String(rest).padStart(2, '0')}`;
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`;
}

/** US dollars; `unknown` where a price was unknown. */
export function formatCost(costUsd: number | null): string {
  if (costUsd === null) return 'cost unknown';
  return costUsd === 0 || costUsd >= 0.01 ? `$${costUsd.toFixed(2)}` : `$${costUsd.toPrecision(2)}`;
}

/** A number of things, in words: `1 turn`, `3 turns`. */
export function formatNumber(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
