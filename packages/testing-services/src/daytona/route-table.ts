/** A route that fits a request. */
export interface RouteMatch<Handler> {
  /** Method and pattern, for example `GET /sandbox/{id}`. */
  readonly route: string;
  readonly handler: Handler;
  /** Values of the placeholders. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the route of a path. Placeholders stand for one part; a route without any goes before one with. */
export function findRoute<Handler>(
  routes: Readonly<Record<string, Handler>>,
  method: string,
  path: string,
): RouteMatch<Handler> | null {
  const parts = path.split('/');
  let best: RouteMatch<Handler> | null = null;
  for (const [route, handler] of Object.entries(routes)) {
    const [routeMethod, pattern = ''] = route.split(' ');
    if (routeMethod !== method) continue;
    const parameters = parametersOf(pattern.split('/'), parts);
    if (parameters === null) continue;
    if (best === null || Object.keys(parameters).length < Object.keys(best.parameters).length) {
      best = { route, handler, parameters };
    }
  }
  return best;
}

function parametersOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (expected.startsWith('{')) parameters[expected.slice(1, -1)] = decodeURIComponent(part);
    else if (expected !== part) return null;
  }
  return parameters;
}
