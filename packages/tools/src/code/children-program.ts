/**
 * Part of the program that looks after a script, in Python: knows the processes that the script has started, and ends them.
 * On Linux each of them becomes a child of that program when its own parent ends, whatever it did to its session and its
 * environment, so that none is missed. Elsewhere nothing is certain, and the host ends them by their marks.
 */
export const childrenProgram: string = `class Children:
    """The script and what it leaves behind, which becomes a child of this program where the system can do that."""

    def __init__(self):
        self.is_complete = False
        try:
            import ctypes

            self.is_complete = ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0) == 0
        except Exception:
            pass
        self.statuses = {}

    def reap(self):
        """Says whether any is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self.statuses[pid] = status

    def end_all(self):
        """Ends what is left, after a moment for what is about to end by itself; says whether nothing is, for certain."""
        started = time.monotonic()
        while self.reap():
            waited = time.monotonic() - started
            if waited > 3:
                return False
            if waited > 0.1:
                pids = self.descendants()
                if not pids:
                    return False
                for pid in pids:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except OSError:
                        pass
            time.sleep(0.005)
        return self.is_complete

    def descendants(self):
        """Numbers of all processes below this one; none where the system does not tell."""
        own = os.getpid()
        below = {}
        try:
            if os.readlink("/proc/self") != str(own):
                return []
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open("/proc/%s/stat" % name, "rb") as file:
                        parent = int(file.read().rpartition(b")")[2].split()[1])
                except OSError:
                    continue
                below.setdefault(parent, []).append(int(name))
        except OSError:
            return []
        found = list(below.get(own, []))
        for pid in found:
            found.extend(below.get(pid, []))
        return found
`;
