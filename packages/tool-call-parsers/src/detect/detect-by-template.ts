import type { DetectedFormat } from './detected-format.ts';
import { templateRules } from './template-rules.ts';

/** The formats whose marks a chat template holds. The work grows with the length of the template alone. */
export function detectByTemplate(template: string): readonly DetectedFormat[] {
  const text = readTemplateText(template);
  const found = new Map<string, DetectedFormat>();
  for (const { parsers, has, hasNo = [], confidence = 'high', reasoning } of templateRules) {
    if (!has.every((mark) => text.includes(mark)) || hasNo.some((mark) => text.includes(mark))) continue;
    for (const parser of parsers) {
      if (found.has(parser)) continue;
      found.set(parser, {
        parser,
        ...(reasoning && text.includes(reasoning.mark) ? { reasoning: reasoning.parser } : {}),
        confidence,
        source: 'template',
        evidence: `the template holds ${has.map((mark) => JSON.stringify(mark)).join(' and ')}`,
      });
    }
  }
  return [...found.values()];
}

/**
 * The text that the template prints, nearly: without comments, which may speak of other formats, with escapes undone
 * (however often they were escaped, for a template that stands in a JSON file), and with strings that are put together
 * as one.
 */
function readTemplateText(template: string): string {
  return withoutComments(template)
    .replace(/\\{2,}/g, '\\')
    .replaceAll('\\n', '\n')
    .replace(/\\(?=["'])/g, '')
    .replace(/\\u([0-9a-fA-F]{4})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(['"])\s*[+~]\s*\1/g, '');
}

function withoutComments(template: string): string {
  let text = '';
  let from = 0;
  for (;;) {
    const start = template.indexOf('{#', from);
    const end = start < 0 ? -1 : template.indexOf('#}', start + 2);
    if (end < 0) return text + template.slice(from);
    text += template.slice(from, start);
    from = end + 2;
  }
}
