import { isJsonObject, type JsonObject, parseJson, StateError } from '@talaria/core';
import { z } from 'zod';

/** What a run is: written once, at its start, into `manifest.json`. */
export interface RunManifest {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The driver, for example `process`. */
  readonly command: string;
  readonly environment: string;
  /** The resolved configuration as the file writes it, secrets taken out. */
  readonly config: JsonObject;
  /** Versions of what writes the records, by name. */
  readonly versions: Readonly<Record<string, string>>;
}

/** What the caller says about a run that it starts or resumes; the rest comes from the folder. */
export type RunDescription = Omit<RunManifest, 'runId' | 'createdAt'>;

const manifestSchema = 'talaria.run/1';

const manifestRecord = z.object({
  run_id: z.string(),
  created_at: z.number(),
  command: z.string(),
  env: z.string(),
  config: z.custom<JsonObject>(isJsonObject, 'Expected an object'),
  versions: z.record(z.string(), z.string()),
});

/** The text of `manifest.json`. */
export function encodeManifest(manifest: RunManifest): string {
  const record: JsonObject = {
    schema: manifestSchema,
    run_id: manifest.runId,
    created_at: manifest.createdAt,
    command: manifest.command,
    env: manifest.environment,
    config: manifest.config,
    versions: manifest.versions,
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Reads `manifest.json`. @throws StateError `state.unknown-version`, `state.damaged-manifest` */
export function decodeManifest(text: string, path: string): RunManifest {
  const parsed = parseJson(text);
  if (!parsed.ok) throw damagedManifest(path, parsed.message);
  const schema = isJsonObject(parsed.value) ? parsed.value['schema'] : undefined;
  if (schema !== manifestSchema && typeof schema === 'string' && schema.startsWith('talaria.run/')) {
    throw new StateError(`${path} has version "${schema.slice(0, 80)}"; this Talaria reads ${manifestSchema}`, {
      code: 'state.unknown-version',
      hint: 'A newer Talaria began this run: update the @talaria packages, or choose another folder.',
    });
  }
  const result = manifestRecord.safeParse(parsed.value);
  if (schema !== manifestSchema || !result.success) {
    throw damagedManifest(path, result.error?.issues[0]?.message ?? 'it is no manifest of a run');
  }
  return {
    runId: result.data.run_id,
    createdAt: result.data.created_at,
    command: result.data.command,
    environment: result.data.env,
    config: result.data.config,
    versions: result.data.versions,
  };
}

function damagedManifest(path: string, reason: string): StateError {
  return new StateError(`${path} cannot be read: ${reason}`, {
    code: 'state.damaged-manifest',
    hint: 'Restore it from a copy, or choose another folder; the records in journal/ are not touched.',
  });
}
