import type { JsonObject } from '@talaria/core';
import { findForbiddenCommand } from './approval/forbidden-command.ts';
import type { SideEffect } from './tool.ts';

/** A call that is about to be made. */
export interface ApprovalRequest {
  readonly toolName: string;
  readonly sideEffect: SideEffect;
  readonly args: JsonObject;
  /** The shell command that it would run, where it runs one. */
  readonly command: string | undefined;
  /** What stands between it and the machine; opens the sandbox. */
  readonly isolation: () => Promise<'none' | 'container' | 'vm'>;
  readonly signal: AbortSignal;
}

/** A policy's answer. `ask` without anyone to ask means no. */
export type ApprovalDecision =
  | { readonly kind: 'allow' }
  | {
      readonly kind: 'deny' | 'ask';
      /** The rule that decided, in a few words. */
      readonly rule: string;
    };

/**
 * Decides whether a call may be made. A seat belt against accidents, not a boundary: whoever wants to get past it can.
 * What keeps a hostile model in is the sandbox.
 */
export type ApprovalPolicy = (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;

const allow: ApprovalDecision = { kind: 'allow' };

/** Allows everything. */
export const allowAll: ApprovalPolicy = () => allow;

/** Allows only what changes nothing. */
export const denyAll: ApprovalPolicy = ({ sideEffect, toolName }) =>
  sideEffect === 'none' ? allow : { kind: 'deny', rule: `no call of ${toolName} is allowed` };

/** Allows everything but a short list of commands that destroy a machine. */
export const guarded: ApprovalPolicy = ({ command }) => {
  const rule = command === undefined ? undefined : findForbiddenCommand(command);
  return rule === undefined ? allow : { kind: 'deny', rule };
};

/** The default: inside a container or machine of its own everything is allowed, elsewhere {@link guarded} decides. */
export const sandboxed: ApprovalPolicy = async (request) => {
  if (request.command === undefined || (await request.isolation()) !== 'none') return allow;
  return guarded(request);
};
