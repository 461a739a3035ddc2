import { type JsonObject, quoteShell } from '@talaria/core';
import { frameKinds } from './frame-reader.ts';
import { aliasSource, maxRequestBytes, moduleAlias, moduleName, moduleSource } from './script-module.ts';
import { scriptStubsOf } from './script-stubs.ts';
import { supervisorProgram } from './supervisor-program.ts';

/** A script that is to be run in a sandbox. */
export interface ScriptJob {
  /** Python source. */
  readonly code: string;
  /** Folder for its files: absolute, not there yet, of this script alone. */
  readonly folder: string;
  /** Names of the tools that the model was offered. */
  readonly enabledTools: ReadonlySet<string>;
  readonly timeoutMs: number;
  /** Most calls of tools. */
  readonly maxCalls: number;
  /** What a call beyond them is told. */
  readonly limitReply: string;
  /** Bytes of its standard output that are kept: the first 40 %, the last 60 %. */
  readonly maxOutputBytes: number;
  /** Bytes of its standard error that are kept: the last. */
  readonly maxErrorBytes: number;
}

const scriptName = 'script.py';

/** Reads the job from standard input. Isolated (`-I`), so that no module in the working folder stands in for Python's own. */
const starter = [
  'import sys',
  'v = sys.version_info',
  `say = lambda text: (sys.stdout.write("\\x02%d:%s" % (len(text), text)), sys.stdout.flush())`,
  `v >= (3, 7) or (say("${frameKinds.outdated}%d.%d" % v[:2]), sys.exit(0))`,
  'import json',
  'job = json.loads(sys.stdin.buffer.read().decode())',
  `say("${frameKinds.started}")`,
  'exec(compile(job["program"], "supervisor", "exec"), {"job": job})',
].join('\n');

/**
 * The command that runs a script, for any POSIX shell. Its output is frames and nothing else. Where something may be left,
 * it stays, so that its processes can still be ended by their mark.
 */
export const scriptCommand: string = [
  'exec 2>/dev/null',
  `command -v python3 >/dev/null || { printf '\\0021:${frameKinds.missing}'; exit 0; }`,
  `${quoteShell(['python3', '-I', '-c', starter])} && exit 0`,
  `printf '\\0021:${frameKinds.left}'`,
  'exec sleep 86400',
].join('\n');

/** What that command reads from its standard input. */
export function scriptInput(job: ScriptJob): string {
  const headBytes = Math.floor(job.maxOutputBytes * 0.4);
  const input: JsonObject = {
    program: supervisorProgram,
    folder: job.folder,
    script: scriptName,
    files: {
      [scriptName]: job.code,
      [`${moduleName}.py`]: moduleSource(scriptStubsOf(job.enabledTools)),
      [`${moduleAlias}.py`]: aliasSource,
    },
    environment: {
      PYTHONPATH: job.folder,
      // A text that is no UTF-8 must not end the script that prints it, and imports leave nothing in the task's folders.
      PYTHONIOENCODING: 'utf-8:backslashreplace',
      PYTHONDONTWRITEBYTECODE: '1',
    },
    seconds: job.timeoutMs / 1_000,
    // JSON has no infinity.
    max_calls: Math.min(job.maxCalls, Number.MAX_SAFE_INTEGER),
    limit_reply: replyText(job.limitReply),
    max_request_bytes: maxRequestBytes,
    head_bytes: headBytes,
    tail_bytes: job.maxOutputBytes - headBytes,
    stderr_bytes: job.maxErrorBytes,
  };
  return JSON.stringify(input);
}

/** The answer to a call as the module reads it; `content` is what the model would have seen. */
export function replyText(content: string): string {
  return JSON.stringify({ content });
}
