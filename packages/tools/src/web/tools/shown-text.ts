import { truncateText } from '@talaria/core';

/** What is shown of a title and of an address, in UTF-16 units: pages and servers choose them. */
const maxTitleChars = 500;
const maxAddressChars = 2_000;

/** A title as results show it. */
export function showTitle(title: string): string {
  return truncateText(title.trim(), maxTitleChars);
}

/** An address as results show it that tell of a page. */
export function showAddress(url: string): string {
  return truncateText(url, maxAddressChars);
}
