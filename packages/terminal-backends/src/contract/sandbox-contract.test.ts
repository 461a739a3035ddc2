import { describe, expect, test } from '@jest/globals';
import { createFakeSandbox } from '../testing/index.ts';
import { sandboxContract, selectContractCases } from './index.ts';

const { capabilities } = createFakeSandbox();

describe('selectContractCases', () => {
  test('leaves out what the capabilities give no meaning', () => {
    const names = (changes: object) =>
      selectContractCases({ capabilities: { ...capabilities, ...changes } }).map(({ name }) => name);
    expect(names({ pty: true })).toHaveLength(sandboxContract.length);
    expect(names({ pty: false })).toHaveLength(sandboxContract.length - 1);
    expect(names({ keepsShellState: false }).length).toBeLessThan(names({}).length);
  });

  test('turns a known gap around: one that passes fails', async () => {
    const name = 'keeps values with quotes, line breaks and every printable character';
    const gap = selectContractCases({ capabilities, knownGaps: [name] }).find((entry) => entry.name.startsWith(name));
    await gap?.run(async () => createFakeSandbox());
    const perfect = createFakeSandbox({
      run: (call) => ({ output: call.options.env?.['VALUE'] ?? values.pop() ?? '' }),
    });
    const values: string[] = [];
    await expect(gap?.run(async () => ({ ...perfect, run: echo }))).rejects.toThrow(/known gap .* passes/);

    async function echo(...[command, options = {}]: Parameters<typeof perfect.run>) {
      const value = options.env?.['VALUE'];
      if (value !== undefined) values.push(value);
      return await createFakeSandbox({ run: [{ output: value ?? values.at(-1) ?? '' }] }).run(command, options);
    }
  });

  test('refuses a gap that names no case', () => {
    expect(() => selectContractCases({ capabilities, knownGaps: ['nothing'] })).toThrow(/nothing/);
  });

  test('has a name of its own for every case', () => {
    expect(new Set(sandboxContract.map(({ name }) => name)).size).toBe(sandboxContract.length);
  });
});
