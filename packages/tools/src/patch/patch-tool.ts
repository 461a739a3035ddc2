import { toolFromOptions } from '../define-tool.ts';
import type { Tool } from '../tool.ts';
import { patchError } from './patch-error.ts';
import { applyPatch } from './patch-mode.ts';
import { replaceInFile } from './replace-mode.ts';

interface PatchArguments {
  readonly mode?: 'replace' | 'patch';
  readonly path?: string;
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
  readonly patch?: string;
}

/** Changes parts of text files: one replacement, or a patch over several files. */
export const patchTool: Tool = toolFromOptions<PatchArguments>({
  name: 'patch',
  toolset: 'file',
  sideEffect: 'sandbox',
  description:
    'Change parts of text files. Replace mode: path, old_string, new_string; small differences in white space are forgiven, but the place must be unique unless replace_all. Patch mode: one patch over any number of files, in the form "*** Begin Patch / *** Update File: path / @@ hint / lines with space, - or + / *** End Patch"; also Add File, Delete File, Move File. All of it is applied, or nothing.',
  parameters: {
    type: 'object',
    properties: {
      mode: {
        type: 'string',
        enum: ['replace', 'patch'],
        description: 'Taken from the other arguments where it is left out',
      },
      path: { type: 'string', minLength: 1, description: 'File to change, in replace mode' },
      old_string: { type: 'string', description: 'Text to be replaced' },
      new_string: { type: 'string', description: 'Text that takes its place; empty to delete' },
      replace_all: { type: 'boolean', default: false, description: 'Replace every occurrence' },
      patch: { type: 'string', description: 'The patch, in patch mode' },
    },
  },
  execute(args, context) {
    const mode = args.mode ?? (args.patch === undefined ? 'replace' : 'patch');
    if (mode === 'patch') {
      if (args.patch === undefined || args.patch.trim() === '') {
        return patchError('invalid_args', 'patch is needed in patch mode, and must not be empty.');
      }
      return applyPatch(args.patch, context);
    }
    const { path, old_string: oldText, new_string: newText, replace_all: replacesAll = false } = args;
    if (path === undefined || oldText === undefined || newText === undefined) {
      return patchError('invalid_args', 'path, old_string and new_string are needed in replace mode.');
    }
    return replaceInFile(path, { oldText, newText, replacesAll }, context);
  },
});
