// Brings up the real services that tests speak to, tells of them, or ends them.
//
//   node scripts/services.ts up|down|status [docker] [podman] [ssh] [apptainer]
//
// It needs root on Debian 12 to install and start what is missing; as anybody else it takes what is there. What runs is
// written to .services/services.json, where tests find it. It imports by path, not by name, since it runs with a plain
// `node` and before anything is built.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findService } from '../packages/testing-services/src/services/find-service.ts';
import { type ServiceName, serviceNames } from '../packages/testing-services/src/services/service-description.ts';
import { endBackgroundProcess } from './services/background-process.ts';
import { bringUpServices } from './services/bring-up-services.ts';
import { readRecord, writeRecord } from './services/services-record.ts';
import { StepError } from './services/step-error.ts';

type Action = (names: readonly ServiceName[]) => Promise<boolean>;

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));
const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['up', (names) => bringUpServices(checkout, names)],
  ['down', endServices],
  ['status', showServices],
]);

const [wantedAction = '', ...wantedNames] = process.argv.slice(2);
const action = actions.get(wantedAction);
const names = wantedNames.length === 0 ? serviceNames : serviceNames.filter((name) => wantedNames.includes(name));
if (action === undefined || names.length < new Set(wantedNames).size) {
  console.error(`Usage: node scripts/services.ts ${[...actions.keys()].join('|')} [${serviceNames.join('] [')}]`);
  process.exitCode = 2;
} else {
  process.exitCode = (await succeeds(action, names)) ? 0 : 1;
}

async function succeeds(act: Action, on: readonly ServiceName[]): Promise<boolean> {
  try {
    return await act(on);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    console.error(`${error.message}\n  ${error.hint}`);
    return false;
  }
}

/** Ends what this checkout started. An engine or a server that it found running goes on. */
async function endServices(on: readonly ServiceName[]): Promise<boolean> {
  const recorded = Object.entries(await readRecord(checkout));
  await writeRecord(checkout, Object.fromEntries(recorded.filter(([name]) => !on.some((ended) => ended === name))));
  for (const name of on) {
    const hasEnded = await endBackgroundProcess(join(checkout, '.services', name));
    console.log(hasEnded ? `${name} has ended` : `${name}: nothing that this checkout started is running`);
  }
  return true;
}

async function showServices(on: readonly ServiceName[]): Promise<boolean> {
  const found = await Promise.all(on.map((name) => findService(name, { folder: checkout })));
  for (const [index, state] of found.entries()) {
    console.log(state.kind === 'ready' ? `${on[index]} is up: ${JSON.stringify(state.service)}` : state.reason);
  }
  return found.every((state) => state.kind === 'ready');
}
