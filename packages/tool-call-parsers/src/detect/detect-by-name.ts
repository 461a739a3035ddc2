import type { DetectedFormat } from './detected-format.ts';
import { type NameRule, nameRules } from './name-rules.ts';
import { type NameWords, quoteWords, readNameWords } from './name-words.ts';

/** The formats of the family that a model name or path belongs to. */
export function detectByName(name: string): readonly DetectedFormat[] {
  // The last part that says something decides: of `org/model`, of a path to a file, of the cache's `models--org--model`.
  for (const part of name.split(/[/\\]|--/).reverse()) {
    const words = readNameWords(part);
    for (const rule of nameRules) {
      const match = rule.names.find((pattern) => words.text.includes(` ${pattern} `));
      if (match !== undefined && allows(rule, words)) return toFormats(rule, match, words, part);
    }
  }
  return [];
}

function allows({ with: needed, without = [] }: NameRule, { text }: NameWords): boolean {
  const occurs = (word: string): boolean => text.includes(` ${word} `);
  return (needed === undefined || needed.some(occurs)) && !without.some(occurs);
}

function toFormats(rule: NameRule, match: string, words: NameWords, part: string): readonly DetectedFormat[] {
  const isFirst = words.text.startsWith(` ^ ${match.replace('^ ', '')} `);
  return rule.parsers.map((parser) => ({
    parser,
    ...(rule.reasoning === undefined ? {} : { reasoning: rule.reasoning }),
    confidence: rule.confidence ?? (isFirst ? 'high' : 'medium'),
    source: 'name',
    evidence: `the model name holds ${JSON.stringify(quoteWords(match, words, part))}`,
  }));
}
