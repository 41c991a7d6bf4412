"""A server that answers nothing for a while, and a client that measures each request from when it was due."""
import asyncio
import json
import math
import pathlib
import subprocess
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
RATE, SECONDS, STALL = 50, 8, (3, 5)
PERCENTILES = (90, 95, 99)


class Server:
    """Answers each GET after a delay; from `stall[0]` to `stall[1]` seconds after the first request, none."""

    def __init__(self, stall=None, delay=0.0):
        self.stall, self.delay, self.first = stall, delay, None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        starting = asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=1024)
        server = asyncio.run_coroutine_threadsafe(starting, self.loop).result()
        self.port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.stop(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def stop(self):
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def serve(self, reader, writer):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                now = self.loop.time()
                self.first = self.first or now
                if self.stall and self.stall[0] <= now - self.first < self.stall[1]:
                    await asyncio.sleep(self.first + self.stall[1] - now)
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except (asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def percentile(values, percent):
    """By the nearest rank, as luath does."""
    values = sorted(values)
    return values[max(1, math.ceil(percent / 100 * len(values))) - 1]


def expected():
    """The latencies in milliseconds when only the stall takes time."""
    due = [index / RATE for index in range(RATE * SECONDS)]
    return [(STALL[1] - at) * 1000 if STALL[0] <= at < STALL[1] else 0 for at in due]


def scheduled(port):
    """The latencies of a client that sends each request when it is due, on a connection of its own."""

    async def one(due):
        loop = asyncio.get_running_loop()
        await asyncio.sleep(due - loop.time())
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"ok")
        took = (loop.time() - due) * 1000
        writer.close()
        return took

    async def all_of_them():
        began = asyncio.get_running_loop().time() + 0.1
        return await asyncio.gather(*[one(began + at / RATE) for at in range(RATE * SECONDS)])

    return asyncio.run(all_of_them())


def load(luath, url, *options):
    """The JSON report of `luath load` with journeys of one request each."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "load.json"
        done = subprocess.run(
            [str(luath), "load", str(HERE / "get_journey.lua"), *options, "--report", f"json:{report}"],
            capture_output=True, text=True, timeout=120, cwd=folder, env={"STALLING_URL": url})
        if not report.exists():
            raise SystemExit(f"luath load failed:\n{done.stderr}")
        return json.loads(report.read_text())


def open_load(luath, url, users):
    """With fewer users than requests wait in the stall, journeys wait for users after it as well."""
    return load(luath, url, "--rate", str(RATE), "--duration", f"{SECONDS}s", "--vus", str(users))
