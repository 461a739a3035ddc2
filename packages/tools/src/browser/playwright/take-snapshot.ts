import { errorMessage } from '@talaria/core';
import type { Page } from 'playwright-core';
import { parseSnapshotLine } from '../snapshot/snapshot-line.ts';

/** Longest snapshot that is kept, in UTF-16 units. */
const maxChars = 2_000_000;
/** How often a page is read again that changes while it is read. */
const maxAttempts = 3;

/** The page as an outline, with the contents of password fields hidden. */
export async function takeSnapshot(page: Page, signal: AbortSignal): Promise<string> {
  const secrets = await passwordsOf(page);
  const text = await readOutline(page, signal);
  const kept = text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n- text: The rest of the page is left out.`;
  return secrets.size === 0 ? kept : hideSecrets(kept, secrets);
}

async function readOutline(page: Page, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await page.ariaSnapshot({ mode: 'ai', timeout: 0, signal });
    } catch (error) {
      signal.throwIfAborted();
      const isChanging = /context was destroyed|navigat|detached/i.test(errorMessage(error));
      if (!isChanging || attempt === maxAttempts) throw error;
    }
  }
}

/** What the password fields of all frames hold. */
async function passwordsOf(page: Page): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    page.frames().map(async (frame) => {
      try {
        const values: string[] = await frame
          .locator('input[type=password]')
          .evaluateAll((fields) => fields.map((field) => ('value' in field ? String(field.value) : '')));
        return values;
      } catch {
        // A frame that went away meanwhile is not in the snapshot either.
        return [];
      }
    }),
  );
  return new Set(
    found
      .flat()
      .map(normalized)
      .filter((value) => value !== ''),
  );
}

function hideSecrets(snapshot: string, secrets: ReadonlySet<string>): string {
  return snapshot
    .split('\n')
    .map((line) => {
      const { role, text } = parseSnapshotLine(line);
      const isField = role === 'textbox' || role === 'text';
      const shown = line.trimStart().startsWith('- text: ') ? line.slice(line.indexOf('- text: ') + 8) : text;
      if (!isField || !secrets.has(normalized(unquoted(shown)))) return line;
      return `${line.slice(0, line.length - shown.length)}[hidden]`;
    })
    .join('\n');
}

function normalized(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The text of a value that is quoted as in YAML. */
function unquoted(text: string): string {
  if (text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    // Not quoted as a whole.
    return text;
  }
}
