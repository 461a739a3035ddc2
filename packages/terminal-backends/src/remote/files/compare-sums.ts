import { remoteError } from '../remote-error.ts';
import { type FileCall, runFileScript } from './file-call.ts';
import { sumsScript } from './transfer-scripts.ts';

const maxSumBytes = 134_217_728;

/**
 * Compares SHA-256 sums with those of files in the sandbox, by their names below the path of the call; the name of the
 * path itself is empty. @throws SandboxError `sandbox.integrity`
 */
export async function compareSums(call: FileCall, sums: ReadonlyMap<string, string>): Promise<void> {
  if (sums.size === 0) return;
  const output = await runFileScript(call, sumsScript, [], {
    stdin: [...sums.keys()].map((name) => `${name}\0`).join(''),
    maxOutputBytes: maxSumBytes,
    timeoutMs: Number.POSITIVE_INFINITY,
  });
  const found = output.toString('latin1').split('\n');
  let index = 0;
  for (const [name, sum] of sums) {
    const other = found[index]?.slice(0, 64) ?? '';
    index += 1;
    if (other !== sum) throw integrityError(call, name, sum, other);
  }
}

function integrityError({ backend, path }: FileCall, name: string, host: string, sandbox: string): unknown {
  const file = JSON.stringify(name === '' ? path : `${path}/${name}`);
  return remoteError(backend, `The SHA-256 of ${file} is ${host} on the host and ${sandbox} in the sandbox`, {
    code: 'sandbox.integrity',
    phase: 'transfer',
    started: true,
    retryable: true,
    hint: 'Copy it again once nothing writes to it.',
  });
}
