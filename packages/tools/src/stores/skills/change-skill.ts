import type { ToolErrorKind } from '../../tool.ts';
import { type FrontMatter, type ParseYaml, readFrontMatter } from './front-matter.ts';
import { faultOfSize, maxFiles, skillFile } from './skill-rules.ts';
import type { SkillChange, StoredSkill } from './skill-store.ts';

/** A change that a model asks for; names and paths were checked. */
export type SkillRequest =
  | { readonly action: 'create'; readonly content: string; readonly category: string | null }
  | { readonly action: 'edit'; readonly content: string }
  | {
      readonly action: 'patch';
      readonly path: string;
      readonly oldText: string;
      readonly newText: string;
      readonly replacesAll: boolean;
    }
  | { readonly action: 'delete' }
  | { readonly action: 'write_file'; readonly path: string; readonly content: string }
  | { readonly action: 'remove_file'; readonly path: string };

/** What became of it. */
export type SkillOutcome =
  | { readonly kind: 'done'; readonly message: string }
  | {
      readonly kind: 'refused';
      readonly errorKind: ToolErrorKind;
      readonly message: string;
      readonly availableFiles?: readonly string[];
    };

/** Decides what a request makes of the skill of that name, or of there being none. */
export function changeSkill(
  name: string,
  skill: StoredSkill | null,
  request: SkillRequest,
  parseYaml: ParseYaml,
): SkillChange<SkillOutcome> {
  if (request.action === 'create') return createSkill(name, skill, request, parseYaml);
  return skill === null
    ? refuse('not_found', `There is no skill ${name}. skills_list shows those there are.`)
    : changeExisting(name, skill, request, parseYaml);
}

type CreateRequest = Extract<SkillRequest, { readonly action: 'create' }>;

function createSkill(
  name: string,
  skill: StoredSkill | null,
  { category, content }: CreateRequest,
  parseYaml: ParseYaml,
): SkillChange<SkillOutcome> {
  if (skill !== null) return refuse('invalid_args', `There is a skill ${name} already. Change it by edit or patch.`);
  const empty: StoredSkill = { category, description: '', files: new Map() };
  return withSkillFile(empty, content, { name, parseYaml, message: `Skill ${name} created.` });
}

function changeExisting(
  name: string,
  skill: StoredSkill,
  request: Exclude<SkillRequest, CreateRequest>,
  parseYaml: ParseYaml,
): SkillChange<SkillOutcome> {
  switch (request.action) {
    case 'edit':
      return withSkillFile(skill, request.content, { name, parseYaml, message: `Skill ${name} rewritten.` });
    case 'patch':
      return patch(skill, request, { name, parseYaml });
    case 'delete':
      return { skill: null, outcome: { kind: 'done', message: `Skill ${name} deleted.` } };
    case 'write_file':
      return withFile(skill, request.path, request.content, `${request.path} of skill ${name} written.`);
    case 'remove_file':
      return removeFile(skill, request.path, name);
  }
}

interface SkillFileContext {
  readonly name: string;
  readonly parseYaml: ParseYaml;
  readonly message: string;
}

function withSkillFile(
  skill: StoredSkill,
  content: string,
  { message, name, parseYaml }: SkillFileContext,
): SkillChange<SkillOutcome> {
  const tooLarge = faultOfSize(skillFile, content);
  if (tooLarge !== undefined) return refuse('too_large', tooLarge);
  const head: FrontMatter = readFrontMatter(content, parseYaml);
  if (head.kind === 'wrong') return refuse('invalid_args', head.why);
  if (head.name !== name) {
    return refuse('invalid_args', `SKILL.md cannot be used: its name is ${head.name.slice(0, 80)}, not ${name}.`);
  }
  const files = new Map(skill.files).set(skillFile, content);
  return { skill: { ...skill, description: head.description, files }, outcome: { kind: 'done', message } };
}

function withFile(skill: StoredSkill, path: string, content: string, message: string): SkillChange<SkillOutcome> {
  const tooLarge = faultOfSize(path, content);
  if (tooLarge !== undefined) return refuse('too_large', tooLarge);
  const files = new Map(skill.files).set(path, content);
  if (files.size > maxFiles) return refuse('too_large', `A skill has at most ${maxFiles} files. Remove some first.`);
  return { skill: { ...skill, files }, outcome: { kind: 'done', message } };
}

function patch(
  skill: StoredSkill,
  { newText, oldText, path, replacesAll }: Extract<SkillRequest, { readonly action: 'patch' }>,
  { name, parseYaml }: Omit<SkillFileContext, 'message'>,
): SkillChange<SkillOutcome> {
  const content = skill.files.get(path);
  if (content === undefined) return missingFile(skill, path, name);
  const pieces = content.split(oldText);
  const found = pieces.length - 1;
  if (found === 0) {
    return refuse('not_found', `old_string is not in ${path}. Look at it with skill_view and take it word for word.`);
  }
  if (found > 1 && !replacesAll) {
    return refuse('invalid_args', `old_string is ${found} times in ${path}. Take more around it, or set replace_all.`);
  }
  const message = `${found === 1 ? 'One place' : `${found} places`} changed in ${path} of skill ${name}.`;
  const changed = pieces.join(newText);
  if (path === skillFile) return withSkillFile(skill, changed, { name, parseYaml, message });
  return withFile(skill, path, changed, message);
}

function removeFile(skill: StoredSkill, path: string, name: string): SkillChange<SkillOutcome> {
  const files = new Map(skill.files);
  if (!files.delete(path)) return missingFile(skill, path, name);
  return { skill: { ...skill, files }, outcome: { kind: 'done', message: `${path} of skill ${name} removed.` } };
}

function missingFile(skill: StoredSkill, path: string, name: string): SkillChange<SkillOutcome> {
  const message = `Skill ${name} has no file ${path}.`;
  const outcome = {
    kind: 'refused',
    errorKind: 'not_found',
    message,
    availableFiles: [...skill.files.keys()],
  } as const;
  return { outcome };
}

function refuse(errorKind: ToolErrorKind, message: string): SkillChange<SkillOutcome> {
  return { outcome: { kind: 'refused', errorKind, message } };
}
