/** Titles of pages that are shown to programs in place of the page that was asked for. */
const signs: readonly RegExp[] = [
  /access (?:to this page has been )?denied/i,
  /are you a robot/i,
  /attention required/i,
  /bot detected/i,
  /checking your browser/i,
  /just a moment/i,
  /\bcaptcha\b/i,
  /\bcloudflare\b/i,
  /security check/i,
  /unusual traffic/i,
  /verify (?:that )?you are (?:a )?human/i,
];

/** A warning where a title looks like that of a page against programs. */
export function botDetectionWarning(title: string): string | undefined {
  if (!signs.some((sign) => sign.test(title))) return undefined;
  return `The title "${title}" looks like a check against programs, not like the page. Try another source.`;
}
