/**
 * Says what keeps a value from being stored as JSON and read again unchanged: `when is a Date`, `list[3] leads back to
 * itself`. `null` where nothing does. Fields that are `undefined` are as good as absent.
 */
export function describeUnstorable(value: unknown): string | null {
  return search(value, '', new Set());
}

function search(value: unknown, path: string, parents: Set<object>): string | null {
  const fault = faultOf(value, parents);
  if (fault !== null) return `${path === '' ? 'it' : path} ${fault}`;
  if (typeof value !== 'object' || value === null) return null;
  parents.add(value);
  for (const [key, inner] of Object.entries(value)) {
    const found = inner === undefined ? null : search(inner, childPath(value, path, key), parents);
    if (found !== null) return found;
  }
  parents.delete(value);
  return null;
}

function faultOf(value: unknown, parents: ReadonlySet<object>): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `is ${value}`;
    case 'object':
      return value === null ? null : faultOfObject(value, parents);
    default:
      return `is a ${typeof value}`;
  }
}

function faultOfObject(value: object, parents: ReadonlySet<object>): string | null {
  if (parents.has(value)) return 'leads back to itself';
  if (Array.isArray(value)) return null;
  // Instances of classes are data; what JSON writes in a way of its own, or not at all, is told by its tag.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== 'Object') return `is a ${kind}`;
  return Object.hasOwn(value, '__proto__') ? 'has a key __proto__' : null;
}

function childPath(parent: object, path: string, key: string): string {
  if (Array.isArray(parent)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
