import { errorMessage } from '@talaria/core';
import type { Tool, ToolAvailability } from './tool.ts';

/** Whether a tool can be offered; a check that throws counts as no, with its message. */
export function availabilityOf(tool: Tool): ToolAvailability {
  try {
    return tool.checkAvailability?.() ?? { isAvailable: true };
  } catch (error) {
    return { isAvailable: false, reason: `its check failed: ${errorMessage(error)}` };
  }
}
