import { errorMessage, isTalariaError } from '@talaria/core';
import type { Tool } from '@talaria/tools';
import { oneLine } from '../one-line.ts';

/** Something that is configured and cannot be had. */
export interface ToolFault {
  /** `tools`: built-in ones, which are there all the same and say why they cannot be offered. */
  readonly kind: 'tools' | 'server' | 'package';
  /** The toolset, the name of the server, or the package as the configuration names it. */
  readonly name: string;
  readonly error: unknown;
}

/** Whether to go on without it. */
export type AcceptFault = (fault: ToolFault) => boolean;

/** What is wrong and what to do, in one line. */
export function describeFault(error: unknown): string {
  const message = oneLine(errorMessage(error));
  const hint = isTalariaError(error) ? error.hint : undefined;
  return hint === undefined ? message : `${message.replace(/\.$/, '')}. ${oneLine(hint)}`;
}

/** Tools that cannot be offered, all for one reason. */
export function withoutUse(tools: readonly Tool[], reason: string): readonly Tool[] {
  return tools.map((tool) => ({ ...tool, checkAvailability: () => ({ isAvailable: false, reason }) }));
}

/** A tool that says, where it cannot be offered, which setting would change that. */
export function namingSetting(tool: Tool, setting: string): Tool {
  return {
    ...tool,
    checkAvailability() {
      const availability = tool.checkAvailability?.() ?? { isAvailable: true };
      if (availability.isAvailable) return availability;
      return { isAvailable: false, reason: `${availability.reason}: set ${setting}` };
    },
  };
}
