/** A tool as scripts call it: a Python function of the same name. */
export interface ScriptStub {
  readonly name: string;
  /** Its parameters, as Python writes them. */
  readonly signature: string;
  /** How they become the arguments of the tool, as keyword arguments. */
  readonly call: string;
  /** What the result holds, in one line. */
  readonly summary: string;
}

function stub(name: string, signature: string, summary: string, changes: Readonly<Record<string, string>> = {}) {
  const names = signature.split(', ').map((parameter) => parameter.replace(/=.*/, ''));
  const call = names.map((parameter) => `${parameter}=${changes[parameter] ?? parameter}`).join(', ');
  return { name, signature, call, summary } satisfies ScriptStub;
}

/** Every tool that a script can be given, in the order of their description. */
const allStubs: readonly ScriptStub[] = [
  stub('terminal', 'command, timeout=None, workdir=None', '{"output", "exit_code", "error"}'),
  stub('read_file', 'path, offset=1, limit=500', '{"content" with numbered lines, "total_lines", "truncated"}'),
  stub('write_file', 'path, content', '{"bytes_written"}'),
  stub(
    'patch',
    'path=None, old_string=None, new_string=None, replace_all=False, mode=None, patch=None',
    '{"success", "diff"}',
  ),
  stub(
    'search_files',
    'pattern, target="content", path=".", file_glob=None, limit=50, offset=0, output_mode="content", context=0',
    '{"total_count", "matches" or "files" or "counts"}',
  ),
  stub('web_search', 'query, limit=5', '{"data": {"web": [{"title", "url", "description"}]}}'),
  stub('web_extract', 'urls, offset=0', '{"results": [{"url", "title", "content", "error"}]}', {
    urls: '[urls] if isinstance(urls, str) else list(urls)',
  }),
];

const stubNames: ReadonlySet<string> = new Set(allStubs.map(({ name }) => name));

/** Whether scripts can be given a tool of this name. */
export function isScriptTool(name: string): boolean {
  return stubNames.has(name);
}

/** The stubs of those tools that are offered. None of them offered: none. */
export function scriptStubsOf(enabledTools: ReadonlySet<string>): readonly ScriptStub[] {
  return allStubs.filter(({ name }) => enabledTools.has(name));
}
