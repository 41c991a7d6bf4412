"""The servers that scenarios are played against: one that runs, or emulators started for it."""

import threading

from emulator import Emulator

from .wire import Server


class Running:
    """One server that is there already: one scenario after the other."""

    jobs = 1

    def __init__(self, base_url, options, client):
        self.server = Server(base_url, options.timeout, client, options.project)

    def server_for(self, _):
        return self.server

    def close(self):
        """It is not ours to end."""


class Spawned:
    """Emulators with the options of each set, one for each job at a time."""

    def __init__(self, options, client):
        self.jobs, self.options, self.client = options.jobs, options, client
        self.mine = threading.local()  # the emulator of a job, its server, and its set
        self.lock = threading.Lock()
        self.emulators = []

    def server_for(self, corpus):
        """The server of the calling job, started anew where the set asks for that or another one was played."""
        mine = self.mine
        alive = getattr(mine, "emulator", None) and mine.emulator.process.poll() is None
        if not alive or mine.corpus is not corpus or corpus.fresh:
            if alive:
                self._stop(mine.emulator)
            mine.emulator, mine.corpus = Emulator(*corpus.emulator), corpus
            with self.lock:
                self.emulators.append(mine.emulator)
            mine.server = Server(
                mine.emulator.base, self.options.timeout, self.client,
                self.options.project or corpus.project)
            mine.server.is_new = corpus.fresh
        return mine.server

    def _stop(self, emulator):
        with self.lock:
            self.emulators.remove(emulator)
        emulator.stop()

    def close(self):
        for emulator in list(self.emulators):
            self._stop(emulator)
