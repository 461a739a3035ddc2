import { escapeHtml } from './escape-html.ts';

/**
 * The little of Markdown that answers are readable with: fenced code, `code`, **strong**. Everything is escaped first;
 * the only tags are the ones made here, without attributes.
 */
export function renderSafeMarkdown(text: string): string {
  const pieces = text.split(/^```.*$/m);
  return pieces
    .map((piece, index) => (index % 2 === 1 ? `<pre>${escapeHtml(trimNewlines(piece))}</pre>` : renderInline(piece)))
    .join('');
}

function trimNewlines(text: string): string {
  return text.replace(/^\n|\n$/g, '');
}

/** Back quotes are escaped, so that they are looked for in that form. */
function renderInline(text: string): string {
  return escapeHtml(text.trim())
    .replace(/&#96;([^\n]*?)&#96;/g, '<code>$1</code>')
    .replace(/\*\*([^*\n<]+)\*\*/g, '<strong>$1</strong>');
}
