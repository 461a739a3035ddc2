import { toolFromOptions } from '../../define-tool.ts';
import type { Tool, ToolAvailability } from '../../tool.ts';
import { toolError } from '../../tool-result.ts';
import { createSkillManageTool, type SkillToolOptions } from './skill-manage-tool.ts';
import { faultOfName, faultOfPath, skillFile, skillFolders } from './skill-rules.ts';

/** The tools `skills_list`, `skill_view` and `skill_manage`. */
export function createSkillTools(options: SkillToolOptions): readonly Tool[] {
  return [createSkillsListTool(options), createSkillViewTool(options), createSkillManageTool(options)];
}

function availabilityOf({ storeOf }: SkillToolOptions): ToolAvailability {
  return storeOf === undefined
    ? { isAvailable: false, reason: 'no store for skills is configured' }
    : { isAvailable: true };
}

function createSkillsListTool(options: SkillToolOptions): Tool {
  const { storeOf, tenantOf } = options;
  return toolFromOptions<{ readonly category?: string }>({
    name: 'skills_list',
    toolset: 'skills',
    sideEffect: 'none',
    isParallelSafe: true,
    description: 'Show the names and descriptions of all skills: ways to do things that were written down earlier.',
    parameters: {
      type: 'object',
      properties: { category: { type: 'string', description: 'Only skills of this category' } },
    },
    checkAvailability: () => availabilityOf(options),
    async execute({ category = '' }, context) {
      if (storeOf === undefined) return toolError('not_available', 'There are no skills here.', { success: false });
      const all = await storeOf(context).list(tenantOf(context), { signal: context.signal });
      const skills = all
        .filter((skill) => category === '' || skill.category === category)
        .map((skill) => ({ name: skill.name, description: skill.description, category: skill.category }));
      const categories = [...new Set(all.flatMap((skill) => skill.category ?? []))].sort();
      const hint = skills.length === 0 ? 'There are no such skills.' : 'skill_view shows one of them whole.';
      return { success: true, skills, categories, count: skills.length, hint };
    },
  });
}

interface ViewArguments {
  readonly name: string;
  readonly file_path?: string;
}

function createSkillViewTool(options: SkillToolOptions): Tool {
  const { storeOf, tenantOf } = options;
  return toolFromOptions<ViewArguments>({
    name: 'skill_view',
    toolset: 'skills',
    sideEffect: 'none',
    isParallelSafe: true,
    description: 'Show a skill whole, with the names of the files beside it, or one of these files.',
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'As skills_list shows it' },
        file_path: { type: 'string', description: 'A file of the skill instead, such as references/api.md' },
      },
      required: ['name'],
    },
    checkAvailability: () => availabilityOf(options),
    async execute({ name, file_path: path = '' }, context) {
      if (storeOf === undefined) return toolError('not_available', 'There are no skills here.', { success: false });
      const isMain = path === '' || path === skillFile;
      const fault = faultOfName('name', name) ?? (isMain ? undefined : faultOfPath(path));
      if (fault !== undefined) return toolError('invalid_args', fault, { success: false });
      const skill = await storeOf(context).read(tenantOf(context), name, { signal: context.signal });
      if (skill === null) {
        const message = `There is no skill ${name}. skills_list shows those there are.`;
        return toolError('not_found', message, { success: false });
      }
      const content = skill.files.get(isMain ? skillFile : path);
      const paths = [...skill.files.keys()];
      if (content === undefined) {
        const message = `Skill ${name} has no file ${isMain ? skillFile : path}.`;
        return toolError('not_found', message, { success: false, available_files: paths });
      }
      if (!isMain) return { success: true, name, file: path, content };
      const { category, description } = skill;
      return { success: true, name, description, category, content, linked_files: linkedFiles(paths) };
    },
  });
}

/** Files beside `SKILL.md` by their folder; `null` where there are none. */
function linkedFiles(paths: readonly string[]): Readonly<Record<string, readonly string[]>> | null {
  const groups = skillFolders
    .map((folder) => [folder, paths.filter((path) => path.startsWith(`${folder}/`))] as const)
    .filter(([, found]) => found.length > 0);
  return groups.length === 0 ? null : Object.fromEntries(groups);
}
