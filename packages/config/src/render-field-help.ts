import type { JsonObject, JsonValue } from '@talaria/core';
import { valueAt } from './config-layer.ts';
import { type FieldDescription, listLeafFields } from './field-description.ts';

/** Options of {@link renderFieldHelp}. */
export interface FieldHelpOptions {
  /** Columns of the screen. @default 100 */
  readonly width?: number | undefined;
  /** Effective defaults, above those of the schema. */
  readonly defaults?: JsonObject | undefined;
  /** Friendly flags, shown beside what they stand for. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
}

/** Column at which descriptions begin. */
const descriptionColumn = 36;

/** Lists every field as a flag, with what it takes, what it means and its default; one block per section. */
export function renderFieldHelp(fields: readonly FieldDescription[], options: FieldHelpOptions = {}): string {
  const single = fields.filter((field) => field.fields.length === 0);
  const sections = fields.filter((field) => field.fields.length > 0);
  const blocks = sections.map((section) => renderBlock(`${section.name}:`, section.description, [section], options));
  if (single.length > 0) blocks.push(renderBlock('other:', '', single, options));
  return blocks.join('\n\n');
}

function renderBlock(
  title: string,
  description: string,
  fields: readonly FieldDescription[],
  options: FieldHelpOptions,
): string {
  const heading = description === '' ? title : `${title} ${description}`;
  return [heading, ...listLeafFields(fields).map((field) => renderField(field, options))].join('\n');
}

function renderField(field: FieldDescription, options: FieldHelpOptions): string {
  const { width = 100, defaults = {}, aliases = {} } = options;
  const friendly = Object.entries(aliases).flatMap(([alias, path]) => (path === field.path ? [`${alias}, `] : []));
  const flag = `  ${friendly.join('')}--${field.path}${valueText(field)}`;
  const value = valueAt(defaults, field.path.split('.')) ?? field.defaultValue;
  const text = [field.description, defaultText(field, value)].filter((part) => part !== '').join(' ');
  const lines = wrapWords(text, Math.max(20, width - descriptionColumn));
  const indent = ' '.repeat(descriptionColumn);
  if (flag.length > descriptionColumn - 2) return [flag, ...lines.map((line) => indent + line)].join('\n');
  const [first = '', ...rest] = lines;
  return [flag.padEnd(descriptionColumn) + first, ...rest.map((line) => indent + line)].join('\n').trimEnd();
}

function valueText(field: FieldDescription): string {
  switch (field.type) {
    case 'boolean':
      return '';
    case 'enum':
      return ` ${field.choices.join('|')}`;
    case 'list':
      return ` ${field.items === null ? 'VALUE' : placeholderOf(field.items)}...`;
    default:
      return ` ${placeholderOf(field)}`;
  }
}

function placeholderOf(field: FieldDescription): string {
  switch (field.type) {
    case 'integer':
    case 'number':
      return 'N';
    case 'object':
      return 'JSON';
    case 'string':
    case 'enum':
      return 'TEXT';
    default:
      return 'VALUE';
  }
}

function defaultText(field: FieldDescription, value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') return '';
  return field.isSecret ? '' : `[default: ${typeof value === 'string' ? value : JSON.stringify(value)}]`;
}

function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/u).filter((part) => part !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
