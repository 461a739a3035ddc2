import { formatNumber } from '../format-quantity.ts';
import { maxShownErrors } from './render-errors.ts';

/** How much was found. */
export interface Tally {
  readonly callCount: number;
  readonly errorCount: number;
}

/** The last line for people; says, too, where errors were not shown. */
export function renderTally({ callCount, errorCount }: Tally): string {
  const hidden = errorCount - maxShownErrors;
  const rest = hidden > 0 ? `; ${formatNumber(hidden, 'error')} not shown, --json gives all` : '';
  return `${formatNumber(callCount, 'call')}, ${formatNumber(errorCount, 'error')}${rest}\n`;
}
