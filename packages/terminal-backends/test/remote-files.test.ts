import { rm } from 'node:fs/promises';
import { afterAll, describe, test } from '@jest/globals';
import { fileCases } from '../src/contract/file-cases.ts';
import { transferCases } from '../src/contract/transfer-cases.ts';
import { busyBoxTools, scriptedSandboxes } from './scripted-sandbox.ts';

const tools = await busyBoxTools();
const cases = [...fileCases, ...transferCases].map((entry) => [entry.name, entry] as const);

afterAll(async () => {
  if (tools !== null) await rm(tools, { recursive: true });
});

describe('files by scripts of bash and GNU coreutils', () => {
  test.each(cases)('%s', (_name, entry) => entry.run(scriptedSandboxes({ shell: 'bash' })));
});

describe('files by scripts of the system’s sh', () => {
  test.each(cases)('%s', (_name, entry) => entry.run(scriptedSandboxes({ shell: 'sh' })));
});

const describeBusyBox = tools === null ? describe.skip : describe;
describeBusyBox(`files by scripts of BusyBox${tools === null ? ' (not installed)' : ''}`, () => {
  test.each(cases)('%s', (_name, entry) =>
    entry.run(scriptedSandboxes({ shell: 'sh', ...(tools === null ? {} : { tools }) })),
  );
});
