import { errorMessage, isJsonObject } from '@talaria/core';

/** Characters of a description. */
const maxDescriptionChars = 1_024;

/** What {@link readFrontMatter} found. */
export type FrontMatter =
  | { readonly kind: 'read'; readonly name: string; readonly description: string }
  | { readonly kind: 'wrong'; readonly why: string };

/** Reads YAML. Only a part of its package, so that it is imported by whoever needs it. */
export type ParseYaml = (text: string) => unknown;

/** Reads the head of a `SKILL.md`: YAML between two lines of `---`, with `name` and `description`, and text after it. */
export function readFrontMatter(content: string, parseYaml: ParseYaml): FrontMatter {
  const text = content.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const [, head, body = ''] = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n([\s\S]*))?$/.exec(text) ?? [];
  if (head === undefined) return wrong('it must start with a line "---", fields in YAML, and another line "---"');
  const fields = parseFields(head, parseYaml);
  if (typeof fields === 'string') return wrong(fields);
  const { description, name } = fields;
  if (typeof name !== 'string' || name.trim() === '') return wrong('its head has no "name"');
  if (typeof description !== 'string' || description.trim() === '') return wrong('its head has no "description"');
  if (description.length > maxDescriptionChars) {
    return wrong(`its description has ${description.length} characters; at most ${maxDescriptionChars} are possible`);
  }
  if (body.trim() === '') return wrong('there is no text after its head');
  return { kind: 'read', name: name.trim(), description: description.trim() };
}

function parseFields(head: string, parseYaml: ParseYaml): Readonly<Record<string, unknown>> | string {
  try {
    const parsed = parseYaml(head);
    return isJsonObject(parsed) ? parsed : 'its head is no list of fields';
  } catch (error) {
    return `its head is no valid YAML: ${errorMessage(error).split('\n')[0]}`;
  }
}

function wrong(why: string): FrontMatter {
  return { kind: 'wrong', why: `SKILL.md cannot be used: ${why}.` };
}
