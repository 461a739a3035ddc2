import { builtinToolsets } from './builtin-toolsets.ts';
import { executeCodeTool } from './code/execute-code-tool.ts';
import { readFileTool } from './files/read-file-tool.ts';
import { writeFileTool } from './files/write-file-tool.ts';
import { patchTool } from './patch/patch-tool.ts';
import { searchFilesTool } from './search/search-files-tool.ts';
import { processTool } from './terminal/process-tool.ts';
import { terminalTool } from './terminal/terminal-tool.ts';
import { todoTool } from './todo/todo-tool.ts';
import type { Tool } from './tool.ts';
import { createToolRegistry, type ToolRegistry } from './tool-registry.ts';

/** The tools that come with Talaria. */
export const builtinTools: readonly Tool[] = [
  terminalTool,
  processTool,
  readFileTool,
  writeFileTool,
  patchTool,
  searchFilesTool,
  todoTool,
  executeCodeTool,
];

/** A registry of the built-in tools and sets, and of more tools if there are any; one of the same name wins. */
export function createBuiltinRegistry(moreTools: readonly Tool[] = []): ToolRegistry {
  return createToolRegistry({ tools: [...builtinTools, ...moreTools], toolsets: builtinToolsets, override: true });
}
