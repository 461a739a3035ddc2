import { toolFromOptions } from '../../define-tool.ts';
import type { Tool, ToolResult } from '../../tool.ts';
import { toolError } from '../../tool-result.ts';
import type { StoreOfCall, TenantOfCall } from '../store-access.ts';
import { storedText } from '../stored-text.ts';
import { changeSkill, type SkillRequest } from './change-skill.ts';
import { faultOfName, faultOfPath, maxSkills, skillFile } from './skill-rules.ts';
import type { SkillStore } from './skill-store.ts';

interface ManageArguments {
  readonly action: 'create' | 'edit' | 'patch' | 'delete' | 'write_file' | 'remove_file';
  readonly name: string;
  readonly content?: string;
  readonly category?: string;
  readonly file_path?: string;
  readonly file_content?: string;
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
}

/** What the tools of skills take. */
export interface SkillToolOptions {
  readonly storeOf: StoreOfCall<SkillStore> | undefined;
  readonly tenantOf: TenantOfCall;
}

/** The tool `skill_manage`: writes, changes and removes skills. */
export function createSkillManageTool({ storeOf, tenantOf }: SkillToolOptions): Tool {
  return toolFromOptions<ManageArguments>({
    name: 'skill_manage',
    toolset: 'skills',
    sideEffect: 'host',
    description:
      'Write down how a kind of task is done, for later sessions, or change what is written. create and edit take the whole SKILL.md, patch replaces a text in a file, write_file and remove_file are for files beside it. SKILL.md starts with "---", name and description in YAML, "---"; then when to use it, the steps, and what goes wrong.',
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['create', 'edit', 'patch', 'delete', 'write_file', 'remove_file'] },
        name: { type: 'string', description: 'Lower-case letters, digits, dots, hyphens, underscores; at most 64' },
        content: { type: 'string', description: 'create, edit: the whole SKILL.md, at most 100,000 characters' },
        category: { type: 'string', description: 'create: one to list it under, spelled like a name' },
        file_path: {
          type: 'string',
          description:
            'patch, write_file, remove_file: a file in references, templates, scripts or assets; patch without it: SKILL.md',
        },
        file_content: { type: 'string', description: 'write_file: the whole file, at most 100,000 characters' },
        old_string: { type: 'string', description: 'patch: the text to replace, word for word' },
        new_string: { type: 'string', description: 'patch: what to put there; empty to delete it' },
        replace_all: { type: 'boolean', default: false, description: 'patch: every place, not the only one' },
      },
      required: ['action', 'name'],
    },
    checkAvailability: () =>
      storeOf === undefined
        ? { isAvailable: false, reason: 'no store for skills is configured' }
        : { isAvailable: true },
    async execute(args, context) {
      if (storeOf === undefined) return refused('not_available', 'There are no skills here.');
      const { signal } = context;
      const store = storeOf(context);
      const tenant = tenantOf(context);
      const request = requestOf(args);
      if (typeof request === 'string') return refused('invalid_args', request);
      if (request.action === 'create' && (await store.list(tenant, { signal })).length >= maxSkills) {
        return refused('too_large', `There are ${maxSkills} skills, as many as there may be. Delete some first.`);
      }
      const { parse } = await import('yaml');
      const change = await store.update(tenant, args.name, (skill) => changeSkill(args.name, skill, request, parse), {
        signal,
      });
      if (change.kind === 'done') return { success: true, message: change.message };
      const { availableFiles, errorKind, message } = change;
      const extra = availableFiles === undefined ? {} : { available_files: availableFiles };
      return toolError(errorKind, message, { success: false, ...extra });
    },
  });
}

/** The request, or what is wrong with it. */
function requestOf(args: ManageArguments): SkillRequest | string {
  const { action, category = '', content = '', file_path: path = '', name } = args;
  const wrongName = faultOfName('name', name);
  if (wrongName !== undefined) return wrongName;
  switch (action) {
    case 'create':
      if (content.trim() === '') return 'content is needed for create: the whole SKILL.md.';
      if (category === '') return { action, content: storedText(content), category: null };
      return faultOfName('category', category) ?? { action, content: storedText(content), category };
    case 'edit':
      return content.trim() === ''
        ? 'content is needed for edit: the whole SKILL.md.'
        : { action, content: storedText(content) };
    case 'patch':
      return patchOf(args, path);
    case 'delete':
      return { action };
    case 'write_file':
      if (path === skillFile) return 'SKILL.md is written by edit, or changed by patch.';
      if (args.file_content === undefined) return 'file_content is needed for write_file.';
      return faultOfPath(path) ?? { action, path, content: storedText(args.file_content) };
    case 'remove_file':
      if (path === skillFile) return 'SKILL.md is the skill: to remove it, use delete.';
      return faultOfPath(path) ?? { action, path };
  }
}

function patchOf(args: ManageArguments, path: string): SkillRequest | string {
  const { new_string: newText, old_string: oldText = '', replace_all: replacesAll = false } = args;
  if (oldText === '') return 'old_string is needed for patch: the text to replace.';
  if (newText === undefined) return 'new_string is needed for patch; give an empty text to delete.';
  const request = { action: 'patch', oldText: storedText(oldText), newText: storedText(newText), replacesAll } as const;
  if (path === '' || path === skillFile) return { ...request, path: skillFile };
  return faultOfPath(path) ?? { ...request, path };
}

function refused(kind: Parameters<typeof toolError>[0], message: string): ToolResult {
  return toolError(kind, message, { success: false });
}
