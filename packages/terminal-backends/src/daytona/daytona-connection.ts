import type { Daytona } from '@daytona/sdk';
import { ConfigError } from '@talaria/core';
import { keyHint } from './daytona-error.ts';
import type { DaytonaBackendOptions } from './daytona-options.ts';
import { loadDaytona } from './load-daytona.ts';

/** The service, as one backend uses it. */
export interface DaytonaConnection {
  readonly client: Daytona;
  /** For messages, and so that the sandboxes of each service are told apart in the ledger. */
  readonly apiUrl: string;
}

/** Gives the connection; nothing is asked of the service until it is used. */
export type ConnectDaytona = () => Promise<DaytonaConnection>;

const defaultApiUrl = 'https://app.daytona.io/api';
/** Of a single answer. The SDK itself waits for a day. */
const requestTimeoutMs = 60_000;

/** Creates a function that makes the client once. @throws ConfigError `config.missing-credentials` from it, and what loading throws */
export function createDaytonaConnector(options: DaytonaBackendOptions): ConnectDaytona {
  let connection: Promise<DaytonaConnection> | null = null;

  async function connect(): Promise<DaytonaConnection> {
    const { environment } = options;
    const apiUrl = options.apiUrl ?? (environment['DAYTONA_API_URL'] || defaultApiUrl);
    const target = options.target ?? (environment['DAYTONA_TARGET'] || undefined);
    const credentials = findCredentials(options);
    const { Daytona } = await loadDaytona(options.importSdk);
    const client = new Daytona({
      ...credentials,
      apiUrl,
      ...(target === undefined ? {} : { target }),
      requestTimeoutMs,
      // Else it keeps a WebSocket open, and a process that has nothing more to do would not end.
      useDeprecatedPolling: true,
      otelEnabled: false,
    });
    return { client, apiUrl };
  }

  return async () => {
    connection ??= connect();
    try {
      return await connection;
    } catch (error) {
      connection = null;
      throw error;
    }
  };
}

type Credentials = { readonly apiKey: string } | { readonly jwtToken: string; readonly organizationId: string };

function findCredentials({ apiKey, environment }: DaytonaBackendOptions): Credentials {
  const key = apiKey?.reveal() || environment['DAYTONA_API_KEY'];
  if (key) return { apiKey: key };
  const [jwtToken, organizationId] = [environment['DAYTONA_JWT_TOKEN'], environment['DAYTONA_ORGANIZATION_ID']];
  if (jwtToken && organizationId) return { jwtToken, organizationId };
  throw new ConfigError('The daytona backend has no key: DAYTONA_API_KEY is not set', {
    code: 'config.missing-credentials',
    hint: keyHint,
  });
}
