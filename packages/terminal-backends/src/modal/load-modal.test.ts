import { describe, expect, test } from '@jest/globals';
import { loadModal } from './load-modal.ts';

function notFound(message: string, code = 'ERR_MODULE_NOT_FOUND'): Promise<never> {
  return Promise.reject(Object.assign(new Error(message), { code }));
}

describe('loadModal', () => {
  test('gives the SDK', async () => {
    expect(typeof (await loadModal()).ModalClient).toBe('function');
  });

  test('says how to install it where it is missing', async () => {
    await expect(
      loadModal(() => notFound("Cannot find package 'modal' imported from /app/index.js")),
    ).rejects.toMatchObject({
      code: 'config.missing-package',
      hint: 'Run: npm install modal@^0.11',
    });
  });

  test('names the other package of that name, which has no client', async () => {
    await expect(loadModal(async () => ({ default: () => undefined }))).rejects.toMatchObject({
      code: 'config.wrong-package',
      message: expect.stringContaining('not the SDK of Modal'),
      hint: 'Run: npm install modal@^0.11',
    });
  });

  test('names the other package where it cannot even be imported', async () => {
    // What Node says of modal@1.2.0.
    const message = "Cannot find module 'jade/lib/runtime.js'\nRequire stack:\n- /app/node_modules/modal/modal.js";
    await expect(loadModal(() => notFound(message, 'MODULE_NOT_FOUND'))).rejects.toMatchObject({
      code: 'config.wrong-package',
      cause: expect.anything(),
    });
  });

  test('passes on any other failure', async () => {
    await expect(loadModal(() => notFound("Cannot find package 'nice-grpc'"))).rejects.toMatchObject({
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const failure = new Error('broken');
    await expect(loadModal(() => Promise.reject(failure))).rejects.toBe(failure);
  });
});
