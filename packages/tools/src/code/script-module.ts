import type { ScriptStub } from './script-stubs.ts';

/** Name of the module that scripts import. */
export const moduleName = 'talaria_tools';
/** The name that upstream gives it. */
export const moduleAlias = 'hermes_tools';
/** Largest request of a script, in bytes. */
export const maxRequestBytes = 4_194_304;

/** The module of the same content under the other name. */
export const aliasSource: string = `import sys\nimport ${moduleName}\nsys.modules[__name__] = ${moduleName}\n`;

/** Python source of the module: one function for each stub, and some helpers. */
export function moduleSource(stubs: readonly ScriptStub[]): string {
  return [moduleStart, ...stubs.map(renderStub)].join('\n\n');
}

function renderStub({ name, signature, call, summary }: ScriptStub): string {
  return `def ${name}(${signature}):\n    """${summary}"""\n    return _call("${name}", ${call})\n`;
}

/** A call is a file of its own, so that threads, forks and subprocesses share nothing that they could spoil. */
const moduleStart = String.raw`"""The tools of this conversation, for scripts."""
import binascii as _binascii
import json as _json
import os as _os
import shlex as _shlex
import time as _time

_folder = _os.path.dirname(_os.path.abspath(__file__))
_max_bytes = ${maxRequestBytes}


def json_parse(text):
    """Parses JSON that may hold raw line breaks and tabs inside its texts, or begin with a byte-order mark."""
    if isinstance(text, (dict, list)):
        return text
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8", "replace")
    return _json.loads(text.lstrip("\ufeff"), strict=False)


def shell_quote(text):
    """Quotes a text as one word of a shell command."""
    return _shlex.quote(str(text))


def retry(fn, max_attempts=3, delay=2):
    """Calls fn until it does not raise; waits delay seconds, then twice as long, and so on."""
    attempt = 1
    while True:
        try:
            return fn()
        except Exception:
            if attempt >= max_attempts:
                raise
        _time.sleep(delay * 2 ** (attempt - 1))
        attempt += 1


def _call(tool, **args):
    args = {name: value for name, value in args.items() if value is not None}
    try:
        text = _json.dumps({"tool": tool, "args": args}, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return {"error": "The arguments of %s are no JSON: %s." % (tool, error), "error_kind": "invalid_args"}
    if len(text) > _max_bytes:
        return {"error": "The arguments of %s are too large." % tool, "error_kind": "too_large"}
    name = _binascii.hexlify(_os.urandom(16)).decode()
    try:
        _send(name, text)
        reply = _receive(name)
    except OSError as error:
        return {"error": "The tools can no longer be reached: %s." % error, "error_kind": "not_available"}
    return _parse(_json.loads(reply)["content"])


def _plain(value):
    if isinstance(value, _os.PathLike):
        return _os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError("a value of type %s" % type(value).__name__)


def _send(name, text):
    path = _os.path.join(_folder, "requests", name)
    with open(path + ".new", "w") as file:
        file.write(text)
    _os.rename(path + ".new", path)
    try:
        bell = _os.open(_os.path.join(_folder, "bell"), _os.O_WRONLY | _os.O_NONBLOCK)
    except OSError:
        return
    try:
        _os.write(bell, b".")
    except OSError:
        pass
    finally:
        _os.close(bell)


def _receive(name):
    folder = _os.path.join(_folder, "replies")
    path = _os.path.join(folder, name)
    started = _time.monotonic()
    while True:
        try:
            with open(path, encoding="utf-8") as file:
                reply = file.read()
            break
        except FileNotFoundError:
            if not _os.path.isdir(folder):
                raise
        _time.sleep(min(0.05, max(0.001, (_time.monotonic() - started) / 8)))
    try:
        _os.unlink(path)
    except OSError:
        pass
    return reply


def _parse(content):
    try:
        value = json_parse(content)
    except (ValueError, RecursionError):
        return content
    return value if isinstance(value, (dict, list)) else content
`;
