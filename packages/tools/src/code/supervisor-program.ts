import { childrenProgram } from './children-program.ts';

/**
 * Python program that looks after one script inside the sandbox. It is given `job`, see `ScriptJob`, and writes frames
 * (`\x02<length>:<kind><body>`, see `frame-reader.ts`) to its standard output, which the script never gets.
 *
 * - Requests of the script are files in a mailbox, complete once they bear their name, so that threads, forks and
 *   subprocesses can send them at the same time. A pipe beside it wakes this program; where it is missing or was spoilt,
 *   the mailbox is looked at anyway.
 * - Of the outputs only what is kept stays in memory, and it is sent at the end.
 * - What the script leaves behind becomes a child of this program, also what shed every mark, and is ended with it.
 * - Exit code 0 means that nothing is left. Any other: something may still run, and the host has to end it.
 *
 * For Python 3.7 and later, with nothing but its standard library.
 */
export const supervisorProgram: string = String.raw`
import json, os, select, shutil, signal, stat, subprocess, sys, time

folder = job["folder"]
requests = os.path.join(folder, "requests")
replies = os.path.join(folder, "replies")
bell_path = os.path.join(folder, "bell")
channel = os.dup(1)
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 0)
os.dup2(null, 1)


def send(kind, body=b""):
    frame = memoryview(b"\x02%d:%s%s" % (len(kind) + len(body), kind, body))
    while frame:
        frame = frame[os.write(channel, frame):]


class Output:
    """What is kept of one output: its first and its last bytes."""

    def __init__(self, pipe, head_bytes, tail_bytes):
        self.pipe = pipe
        self.head_bytes, self.tail_bytes = head_bytes, tail_bytes
        self.head, self.tail = bytearray(), bytearray()
        self.total = 0
        self.is_open = True
        os.set_blocking(pipe.fileno(), False)

    def read(self):
        """Reads what is there, in part; says whether there may be more at once."""
        try:
            data = os.read(self.pipe.fileno(), 65536)
        except BlockingIOError:
            return False
        if not data:
            self.is_open = False
            return False
        self.total += len(data)
        room = self.head_bytes - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        self.tail += data
        if len(self.tail) > 2 * self.tail_bytes + 65536:
            del self.tail[: len(self.tail) - self.tail_bytes]
        return True

    def drain(self):
        """Reads what the script has left in the pipe. Something in the background may go on writing: within bounds."""
        for _ in range(64):
            if not self.is_open or not self.read():
                return

    def result(self):
        """What was kept, and how many bytes are missing where the head ends."""
        tail = bytes(self.tail[max(0, len(self.tail) - self.tail_bytes):])
        return bytes(self.head) + tail, self.total - len(self.head) - len(tail)


class Mailbox:
    def __init__(self):
        self.taken = 0
        self.stuck = set()
        try:
            os.mkfifo(bell_path, 0o600)
            self.bell = os.open(bell_path, os.O_RDWR | os.O_NONBLOCK)
        except OSError:
            self.bell = None

    def silence(self):
        try:
            os.read(self.bell, 65536)
        except OSError:
            pass

    def forward(self):
        """Sends every new request on. What is no request is left alone."""
        try:
            names = os.listdir(requests)
        except OSError:
            return
        for name in names:
            if len(name) != 32 or set(name) - set("0123456789abcdef") or name in self.stuck:
                continue
            path = os.path.join(requests, name)
            body = self.take(path)
            try:
                os.unlink(path)
            except OSError:
                self.stuck.add(name)
            self.taken += 1
            if self.taken > job["max_calls"]:
                self.answer(name, job["limit_reply"])
            else:
                send(b"c", name.encode() + body)

    def take(self, path):
        """The bytes of a request; none where it is no file or too large."""
        try:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return b""
        try:
            facts = os.fstat(file)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > job["max_request_bytes"]:
                return b""
            body = b""
            while len(body) <= facts.st_size:
                data = os.read(file, facts.st_size + 1 - len(body))
                if not data:
                    break
                body += data
            return body
        except OSError:
            return b""
        finally:
            os.close(file)

    def answer(self, name, text):
        path = os.path.join(replies, name)
        try:
            with open(path + ".new", "w") as file:
                file.write(text)
            os.rename(path + ".new", path)
        except OSError:
            pass


${childrenProgram}

def write(name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        file.write(text)


def prepare():
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    os.mkdir(folder, 0o700)
    os.mkdir(requests, 0o700)
    os.mkdir(replies, 0o700)
    for name, text in job["files"].items():
        write(name, text)


def start():
    environment = dict(os.environ, **job["environment"])
    return subprocess.Popen(
        [sys.executable or "python3", os.path.join(folder, job["script"])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


def watch(child, children, outputs, mailbox, waker):
    """Until the script has ended; says whether it did within its time."""
    until = time.monotonic() + job["seconds"]
    while True:
        children.reap()
        if child.pid in children.statuses:
            return True
        left = until - time.monotonic()
        if left <= 0:
            return False
        heard = [output.pipe.fileno() for output in outputs if output.is_open] + [waker]
        if mailbox.bell is not None:
            heard.append(mailbox.bell)
        ready = select.select(heard, [], [], min(left, 0.02 if mailbox.bell is None else 0.25))[0]
        for output in outputs:
            if output.is_open and output.pipe.fileno() in ready:
                output.read()
        if waker in ready:
            os.read(waker, 4096)
        if mailbox.bell in ready:
            mailbox.silence()
        mailbox.forward()


def end(child, children):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass
    until = time.monotonic() + 1
    while child.pid not in children.statuses and time.monotonic() < until:
        children.reap()
        time.sleep(0.005)


def exit_code_of(status):
    if status is None or os.WIFSIGNALED(status):
        return 128 + (signal.SIGKILL if status is None else os.WTERMSIG(status))
    return os.WEXITSTATUS(status)


def main():
    waker, wake = os.pipe()
    os.set_blocking(waker, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children = Children()
    try:
        prepare()
        mailbox = Mailbox()
        child = start()
    except OSError as error:
        send(b"f", str(error).encode("utf-8", "replace"))
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    head = job["head_bytes"]
    outputs = [Output(child.stdout, head, job["tail_bytes"]), Output(child.stderr, 0, job["stderr_bytes"])]
    has_ended = watch(child, children, outputs, mailbox, waker)
    if not has_ended:
        end(child, children)
    for output in outputs:
        output.drain()
    is_clean = children.end_all()
    shutil.rmtree(folder, ignore_errors=True)
    is_clean = is_clean and not os.path.lexists(folder)
    (text, missing), (errors, missing_errors) = outputs[0].result(), outputs[1].result()
    facts = {
        "exit_code": exit_code_of(children.statuses.get(child.pid)),
        "timed_out": not has_ended,
        "missing_bytes": missing,
        "missing_stderr_bytes": missing_errors,
    }
    send(b"o", text)
    send(b"e", errors)
    send(b"x", json.dumps(facts).encode())
    return 0 if is_clean else 1


sys.stdout.flush()
code = main()
os._exit(code)
`;
