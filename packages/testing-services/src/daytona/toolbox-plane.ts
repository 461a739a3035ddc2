import type { Clock } from '@talaria/core';
import { json } from './answer.ts';
import { executeCommand } from './execute-command.ts';
import { createFileRoutes } from './file-routes.ts';
import { createPtyRoutes, createPtySockets } from './pty-routes.ts';
import { homeOf } from './sandbox-record.ts';
import { createSessionRoutes, followLog } from './session-routes.ts';
import type { SocketHandler, ToolboxHandler } from './toolbox-handler.ts';

/** What the toolbox plane needs. */
export interface ToolboxPlaneOptions {
  readonly shell: string;
  readonly clock: Clock;
}

/** The routes of the toolbox plane, below the id of the sandbox. */
export function createToolboxPlane({ shell, clock }: ToolboxPlaneOptions): Readonly<Record<string, ToolboxHandler>> {
  return {
    'GET /user-home-dir': async ({ sandbox }) => json({ dir: homeOf(sandbox) }),
    'GET /work-dir': async ({ sandbox }) => json({ dir: homeOf(sandbox) }),
    'POST /process/execute': (request) => executeCommand(request, shell, clock),
    ...createSessionRoutes(shell),
    ...createPtyRoutes({ shell, nowMs: () => clock.now() }),
    ...createFileRoutes(),
  };
}

/** The routes of the toolbox plane that are WebSockets. */
export function createToolboxSockets({ shell, clock }: ToolboxPlaneOptions): Readonly<Record<string, SocketHandler>> {
  return {
    'WS /process/session/{session}/command/{command}/logs': followLog,
    ...createPtySockets({ shell, nowMs: () => clock.now() }),
  };
}
