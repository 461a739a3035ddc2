import { contentHash, describeMachine } from '@talaria/core';

/** Short text that no other machine, boot or process space shares. */
export async function machineMark(): Promise<string> {
  return contentHash({ ...(await describeMachine()) }).slice(0, 16);
}
