import type { Sandbox } from '@talaria/terminal-backends';
import type { OpenedBackend } from './backends/opened-backend.ts';

/** A backend that knows which of its sandboxes are open. */
export interface TrackedBackend extends OpenedBackend {
  /** One line for each sandbox that is open. */
  listOpen(): readonly string[];
}

/** Keeps track of the sandboxes that a backend opens, so that a forced end can name what it leaves behind. */
export function trackSandboxes(backend: OpenedBackend): TrackedBackend {
  const open = new Set<Sandbox>();
  return {
    kind: backend.kind,
    capabilities: backend.capabilities,
    async open(spec, options) {
      const sandbox = await backend.open(spec, options);
      open.add(sandbox);
      return forgetOnDisposal(sandbox, open);
    },
    maxCreatesPerSecond: backend.maxCreatesPerSecond,
    sweep: (options) => backend.sweep(options),
    ...(backend.list && { list: backend.list.bind(backend) }),
    ...(backend.remove && { remove: backend.remove.bind(backend) }),
    preflight: (options) => backend.preflight(options),
    listOpen: () => [...open].map(({ id, home }) => `${backend.kind} sandbox ${id} (${home})`),
  };
}

/** The same object in every respect but its disposal. */
function forgetOnDisposal(sandbox: Sandbox, open: Set<Sandbox>): Sandbox {
  return new Proxy(sandbox, {
    get(target, key) {
      if (key === Symbol.asyncDispose) {
        return async () => {
          await target[Symbol.asyncDispose]();
          open.delete(target);
        };
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
