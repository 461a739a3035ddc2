import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { createBuiltinRegistry } from '@talaria/tools';
import { createStoreTools, createTransientSkillStore, type SkillStore } from '@talaria/tools/stores';
import { createTestDispatcher, type TestDispatcher } from '@talaria/tools/testing';

function openTools(skills: SkillStore = createTransientSkillStore(), tenant = 'tenant'): TestDispatcher {
  const registry = createBuiltinRegistry(createStoreTools({ tenant, skills }));
  return createTestDispatcher({ view: registry.view({ enabled: ['skills'] }) });
}

function skillText(name: string, body = 'Do it.\nDo it well.'): string {
  return `---\nname: ${name}\ndescription: How to do ${name}\n---\n# ${name}\n\n${body}\n`;
}

async function withSkill(): Promise<TestDispatcher> {
  const tools = openTools();
  await tools.callJson('skill_manage', {
    action: 'create',
    name: 'deploy',
    content: skillText('deploy'),
    category: 'ops',
  });
  const file = { file_path: 'references/api.md', file_content: 'one two one' };
  await tools.callJson('skill_manage', { action: 'write_file', name: 'deploy', ...file });
  return tools;
}

async function manage(tools: TestDispatcher, args: JsonObject): Promise<JsonObject> {
  const { content } = await tools.call('skill_manage', args);
  return JSON.parse(content);
}

test('a skill is written, listed, shown, changed and deleted', async () => {
  await using tools = await withSkill();
  await tools.callJson('skill_manage', { action: 'create', name: 'a.b-c_1', content: skillText('a.b-c_1') });
  expect(await tools.callJson('skills_list', {})).toEqual({
    success: true,
    skills: [
      { name: 'a.b-c_1', description: 'How to do a.b-c_1', category: null },
      { name: 'deploy', description: 'How to do deploy', category: 'ops' },
    ],
    categories: ['ops'],
    count: 2,
    hint: 'skill_view shows one of them whole.',
  });
  expect(await tools.callJson('skills_list', { category: 'ops' })).toMatchObject({ count: 1 });
  expect(await tools.callJson('skill_view', { name: 'deploy' })).toEqual({
    success: true,
    name: 'deploy',
    description: 'How to do deploy',
    category: 'ops',
    content: skillText('deploy'),
    linked_files: { references: ['references/api.md'] },
  });
  expect(await tools.callJson('skill_view', { name: 'deploy', file_path: 'references/api.md' })).toEqual({
    success: true,
    name: 'deploy',
    file: 'references/api.md',
    content: 'one two one',
  });
  const edit = { action: 'edit', name: 'deploy', content: skillText('deploy', 'Otherwise.').replace('How', 'Why') };
  expect(await manage(tools, edit)).toEqual({ success: true, message: 'Skill deploy rewritten.' });
  expect(await tools.callJson('skill_view', { name: 'deploy', file_path: 'SKILL.md' })).toMatchObject({
    description: 'Why to do deploy',
    content: expect.stringContaining('Otherwise.'),
    linked_files: { references: ['references/api.md'] },
  });
  await manage(tools, { action: 'remove_file', name: 'deploy', file_path: 'references/api.md' });
  expect(await tools.callJson('skill_view', { name: 'deploy' })).toMatchObject({ linked_files: null });
  await manage(tools, { action: 'delete', name: 'deploy' });
  expect((await tools.call('skill_view', { name: 'deploy' })).errorKind).toBe('not_found');
});

describe('patch', () => {
  test('replaces the one place, or all places where asked', async () => {
    await using tools = await withSkill();
    const patch = { action: 'patch', name: 'deploy' };
    await manage(tools, { ...patch, old_string: 'Do it well.', new_string: 'Do it $& $1.' });
    expect(await tools.callJson('skill_view', { name: 'deploy' })).toMatchObject({
      content: skillText('deploy', 'Do it.\nDo it $& $1.'),
    });
    const file = { ...patch, file_path: 'references/api.md', old_string: 'one' };
    expect(await manage(tools, { ...file, new_string: '1' })).toMatchObject({
      error_kind: 'invalid_args',
      error: expect.stringContaining('2 times'),
    });
    expect(await manage(tools, { ...file, new_string: '', replace_all: true })).toMatchObject({
      message: '2 places changed in references/api.md of skill deploy.',
    });
    expect(await tools.callJson('skill_view', { name: 'deploy', file_path: 'references/api.md' })).toMatchObject({
      content: ' two ',
    });
  });

  test('never leaves a skill without its head', async () => {
    await using tools = await withSkill();
    const patch = { action: 'patch', name: 'deploy', old_string: 'description:', new_string: 'about:' };
    expect(await manage(tools, patch)).toMatchObject({ error: expect.stringContaining('no "description"') });
    const renamed = { action: 'patch', name: 'deploy', old_string: 'name: deploy', new_string: 'name: other' };
    expect(await manage(tools, renamed)).toMatchObject({ error: expect.stringContaining('not deploy') });
    const grown = { action: 'patch', name: 'deploy', old_string: 'Do it well.', new_string: 'x'.repeat(100_000) };
    expect(await manage(tools, grown)).toMatchObject({ error_kind: 'too_large' });
    expect(await tools.callJson('skill_view', { name: 'deploy' })).toMatchObject({ content: skillText('deploy') });
  });
});

test.each([
  ['---\nname: x\ndescription: d\n---\n', 'no text after its head'],
  ['name: x', 'must start with a line'],
  ['---\nname: x\ndescription: d\nbody', 'must start with a line'],
  ['---\n- name\n---\nbody', 'no list of fields'],
  ['---\nname: [\n---\nbody', 'no valid YAML'],
  ['---\ndescription: d\n---\nbody', 'no "name"'],
  ['---\nname: x\ndescription: ""\n---\nbody', 'no "description"'],
  ['---\nname: 7\ndescription: d\n---\nbody', 'no "name"'],
  [`---\nname: x\ndescription: ${'d'.repeat(1_025)}\n---\nbody`, '1025 characters'],
  ['---\nname: y\ndescription: d\n---\nbody', 'its name is y, not x'],
  [`---\na: &a [x, x, x]\nb: &b [*a, *a, *a]\nname: x\n---\nbody`, 'no "description"'],
  [skillText('x', 'y'.repeat(100_000)), 'at most 100000'],
  [' ', 'content is needed'],
])('create refuses the text %#', async (content, message) => {
  await using tools = openTools();
  const outcome = await manage(tools, { action: 'create', name: 'x', content });
  expect(outcome).toMatchObject({ success: false, error: expect.stringContaining(message) });
  expect(await tools.callJson('skills_list', {})).toMatchObject({ count: 0 });
});

test.each(['---\r\nname: x\r\ndescription: d\r\n---\r\nbody', '\ufeff---\nname: x\ndescription: >\n  d\n---\nbody'])(
  'create takes the text %#',
  async (content) => {
    await using tools = openTools();
    expect(await manage(tools, { action: 'create', name: 'x', content })).toMatchObject({ success: true });
    expect(await tools.callJson('skill_view', { name: 'x' })).toMatchObject({ description: 'd', content });
  },
);

test.each(['', '.', '..', '-x', 'X', 'a b', 'a/b', '../a', 'ä', '__proto__', 'a\n', 'x'.repeat(65), "a'; --"])(
  'no tool takes the name %j',
  async (name) => {
    await using tools = openTools();
    const content = skillText('x');
    expect(await manage(tools, { action: 'create', name, content })).toMatchObject({ error_kind: 'invalid_args' });
    expect(await manage(tools, { action: 'delete', name })).toMatchObject({ error_kind: 'invalid_args' });
    expect((await tools.call('skill_view', { name })).errorKind).toBe('invalid_args');
    if (name === '') return;
    const asCategory = await manage(tools, { action: 'create', name: 'x', content, category: name });
    expect(asCategory).toMatchObject({ error: expect.stringContaining('category must be') });
  },
);

test.each([
  '',
  '/etc/passwd',
  'references',
  'references/',
  'references/../../x',
  'references/./x',
  'references//x',
  'other/x',
  'x.md',
  'references\\x',
  'references/a\0b',
  'references/a\nb',
  'REFERENCES/x',
  `references/${'x'.repeat(300)}`,
])('no tool takes the path %j', async (path) => {
  await using tools = await withSkill();
  for (const args of [
    { action: 'write_file', file_content: 'x' },
    { action: 'remove_file' },
    { action: 'patch', old_string: 'one', new_string: 'x', replace_all: true },
  ]) {
    if (path === '' && args.action === 'patch') continue;
    const outcome = await manage(tools, { ...args, name: 'deploy', file_path: path });
    expect(outcome).toMatchObject({ success: false, error_kind: 'invalid_args' });
  }
  if (path !== '')
    expect((await tools.call('skill_view', { name: 'deploy', file_path: path })).errorKind).toBe('invalid_args');
  expect(await tools.callJson('skill_view', { name: 'deploy' })).toMatchObject({
    linked_files: { references: ['references/api.md'] },
  });
});

test.each([
  [{ action: 'create', name: 'deploy', content: skillText('deploy') }, 'invalid_args', 'already'],
  [{ action: 'edit', name: 'other', content: skillText('other') }, 'not_found', 'no skill other'],
  [{ action: 'edit', name: 'deploy' }, 'invalid_args', 'content is needed'],
  [{ action: 'delete', name: 'other' }, 'not_found', 'no skill other'],
  [{ action: 'patch', name: 'deploy', new_string: 'x' }, 'invalid_args', 'old_string is needed'],
  [{ action: 'patch', name: 'deploy', old_string: 'x' }, 'invalid_args', 'new_string is needed'],
  [{ action: 'patch', name: 'deploy', old_string: 'absent', new_string: '' }, 'not_found', 'is not in SKILL.md'],
  [{ action: 'write_file', name: 'deploy', file_path: 'SKILL.md', file_content: 'x' }, 'invalid_args', 'edit'],
  [{ action: 'write_file', name: 'deploy', file_path: 'assets/x' }, 'invalid_args', 'file_content is needed'],
  [{ action: 'write_file', name: 'deploy', file_path: 'assets/x', file_content: 'x'.repeat(100_001) }, 'too_large', ''],
  [{ action: 'remove_file', name: 'deploy', file_path: 'SKILL.md' }, 'invalid_args', 'delete'],
  [{ action: 'remove_file', name: 'deploy', file_path: 'assets/x' }, 'not_found', 'references/api.md'],
  [{ action: 'rename', name: 'deploy' }, 'invalid_args', 'action'],
  [{ action: 'create', name: 7, content: {} }, 'invalid_args', 'name'],
  [{ name: 'deploy' }, 'invalid_args', 'action'],
])('skill_manage refuses %#', async (args, errorKind, message) => {
  await using tools = await withSkill();
  const outcome = await tools.call('skill_manage', args);
  expect(outcome).toMatchObject({ errorKind, content: expect.stringContaining(message) });
});

test('a skill has at most a hundred files', async () => {
  await using tools = await withSkill();
  const write = (number: number): Promise<JsonObject> =>
    manage(tools, { action: 'write_file', name: 'deploy', file_path: `assets/${number}`, file_content: '' });
  for (let number = 0; number < 98; number += 1) await write(number);
  expect(await write(98)).toMatchObject({ error_kind: 'too_large' });
  expect(await write(97)).toMatchObject({ success: true });
});

test('one tenant never sees the skills of another', async () => {
  const skills = createTransientSkillStore();
  await using first = openTools(skills, 'first');
  await using second = openTools(skills, 'second');
  await manage(first, { action: 'create', name: 'x', content: skillText('x') });
  expect(await second.callJson('skills_list', {})).toMatchObject({ count: 0 });
  expect((await second.call('skill_view', { name: 'x' })).errorKind).toBe('not_found');
  expect(await manage(second, { action: 'delete', name: 'x' })).toMatchObject({ error_kind: 'not_found' });
  expect(await manage(second, { action: 'create', name: 'x', content: skillText('x') })).toMatchObject({
    success: true,
  });
});
