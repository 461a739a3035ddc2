import { describe, expect, test } from '@jest/globals';
import { checkImages } from './check-images.ts';

const fail = async (image: string): Promise<void> => {
  if (image.startsWith('bad')) throw new Error(`no ${image}`);
};

describe('checkImages', () => {
  test('takes each that the tasks name once, and else the one of the backend', async () => {
    const seen: string[] = [];
    const check = async (image: string): Promise<void> => void seen.push(image);
    await checkImages({ own: 'own', images: ['a', 'b', 'a'], check, hint: '' });
    await checkImages({ own: 'own', check, hint: '' });
    await checkImages({ own: undefined, check, hint: '' });
    expect(seen).toEqual(['a', 'b', 'own']);
  });

  test('fails with the error of the only one that is wrong', async () => {
    const checked = checkImages({ own: undefined, images: ['a', 'bad'], check: fail, hint: '' });
    await expect(checked).rejects.toThrow(/^no bad$/);
  });

  test('fails with a list of all that are wrong', async () => {
    const checked = checkImages({ own: undefined, images: ['bad1', 'a', 'bad2'], check: fail, hint: 'Mend them.' });
    await expect(checked).rejects.toMatchObject({
      code: 'config.missing-image',
      message: '2 of 3 images cannot be used:\nbad1: no bad1\nbad2: no bad2',
      hint: 'Mend them.',
    });
  });

  test('fails with the reason of an abort, not with what the abort made fail', async () => {
    const stop = new AbortController();
    const check = async (): Promise<void> => {
      stop.abort('stop');
      throw new Error('broken off');
    };
    const checked = checkImages({ own: 'own', check, hint: '', signal: stop.signal });
    await expect(checked).rejects.toBe('stop');
  });
});
