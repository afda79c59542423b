"""Feeds balboa, a passive-DNS server, through its front end, and asks everything back.

    balboa.py STORE [OBSERVATIONS]

Starts Debian's unmodified `balboa-rocksdb` (with whatever librocksdb.so.7.8 the loader finds) and
`balboa serve`; feeds observations by HTTP; asks for each name; kills the back end with SIGKILL;
starts it again; asks again; feeds everything a second time, so that the merge operator adds up;
stops it politely; starts it and asks a last time.
"""

import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

BATCH = 50


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, process, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            sys.exit(f"{process.args[0]} ended with {process.returncode}")
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"{process.args[0]} does not listen")


class Balboa:
    def __init__(self, store, work):
        self.store, self.work = store, work
        self.served = None
        self.log = open(work / "log", "wb")

    def start(self):
        self.back_port, self.http_port, self.query_port = free_port(), free_port(), free_port()
        self.back = subprocess.Popen(
            ["balboa-rocksdb", "-d", self.store, "-p", str(self.back_port), "-R"],
            stdout=self.log, stderr=self.log)
        wait_for_port(self.back_port, self.back)
        maps = Path(f"/proc/{self.back.pid}/maps").read_text()
        served = "MountDB" if "libmountdb.so" in maps else "RocksDB"
        if not self.served:
            print(f"balboa-rocksdb runs on {served}", flush=True)
        self.served = served
        feeders = self.work / "feeders.yaml"
        feeders.write_text(
            "feeder:\n    - name: HTTP Input\n      type: http\n      listen_host: 127.0.0.1\n"
            f"      listen_port: {self.http_port}\n      input_format: fever_aggregate\n")
        self.front = subprocess.Popen(
            ["balboa", "serve", "-f", str(feeders), "-H", f"127.0.0.1:{self.back_port}", "-l", "",
             "-p", str(self.query_port)], stdout=self.log, stderr=self.log)
        wait_for_port(self.http_port, self.front)
        wait_for_port(self.query_port, self.front)

    def stop(self, how):
        if how != signal.SIGKILL:
            # Its end of the connection first: the back end waits a minute for those to end.
            self.front.kill()
            self.front.wait()
        self.back.send_signal(how)
        code = self.back.wait(100)
        self.front.kill()
        self.front.wait()
        return code

    def feed(self, observations):
        """Observations as {(name, type, data): count}, in posts of many names."""
        posts, names = [], {}
        for (name, kind, data), count in observations.items():
            names.setdefault(name, {"rdata": []})["rdata"].append(
                {"answering_host": "192.0.2.1", "count": count, "rcode": "NOERROR",
                 "rdata": data, "rrtype": kind, "type": "answer"})
            if len(names) == 500:
                posts.append(names)
                names = {}
        if names:
            posts.append(names)
        for names in posts:
            body = json.dumps({"dns": names, "timestamp_start": "2026-01-01T00:00:00Z",
                               "timestamp_end": "2026-01-02T00:00:00Z"}).encode()
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.http_port}/submit", body, {"X-Sensor-ID": "sensor"})
            urllib.request.urlopen(request, timeout=60).read()

    def ask(self, names):
        """What the store knows about `names`, in the shape of `feed`."""
        parts = [f'q{i}: entries(rrname: "{name}", sensor_id: "sensor", limit: 100) '
                 "{ rrname rrtype rdata count }" for i, name in enumerate(names)]
        body = json.dumps({"query": "query { " + " ".join(parts) + " }"}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.query_port}/query", body, {"Content-Type": "application/json"})
        answer = json.load(urllib.request.urlopen(request, timeout=60))
        if "errors" in answer:
            sys.exit(f"query: {answer['errors']}")
        return {(e["rrname"], e["rrtype"], e["rdata"]): e["count"]
                for entries in answer["data"].values() for e in entries or []}

    def expect(self, observations, what, wait=False):
        """Asks for everything; `wait` gives the front end time to pass things on."""
        by_name = {}
        for key, count in observations.items():
            by_name.setdefault(key[0], {})[key] = count
        names = list(by_name)
        end = time.monotonic() + (120 if wait else 0)
        for at in range(0, len(names), BATCH):
            batch = names[at:at + BATCH]
            expected = {k: c for name in batch for k, c in by_name[name].items()}
            while (got := self.ask(batch)) != expected:
                if time.monotonic() >= end:
                    wrong = {k: (expected.get(k), got.get(k)) for k in expected.keys() | got.keys()
                             if expected.get(k) != got.get(k)}
                    sys.exit(f"{what}: {len(wrong)} of {len(expected)} differ, "
                             f"such as {list(wrong.items())[:3]}")
                time.sleep(0.2)
        print(f"{what}: {len(observations)} observations of {len(names)} names are right", flush=True)


def main():
    store = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    rng = random.Random(20260101)
    observations = {}
    while len(observations) < total:
        name = f"host{rng.randrange(total // 40)}.{rng.choice('abcdef')}.example"
        kind = rng.choice(["A", "AAAA", "CNAME", "TXT"])
        data = f"{kind.lower()}-{rng.randrange(10)}.data"
        observations[name, kind, data] = rng.randrange(1, 1000)
    work = Path(tempfile.mkdtemp(prefix="balboa-"))
    balboa = Balboa(store, work)
    try:
        balboa.start()
        began = time.monotonic()
        balboa.feed(observations)
        balboa.expect(observations, "fed", wait=True)
        print(f"  in {time.monotonic() - began:.1f} s", flush=True)
        code = balboa.stop(signal.SIGKILL)
        assert code == -signal.SIGKILL, code
        balboa.start()
        balboa.expect(observations, "after a kill")
        balboa.feed(observations)
        twice = {key: 2 * count for key, count in observations.items()}
        balboa.expect(twice, "fed again", wait=True)
        code = balboa.stop(signal.SIGTERM)
        # RocksDB's background threads take the signal, and the process dies of it (-15); ours leave
        # it to balboa, which ends in order.
        print(f"stopped politely, status {code}", flush=True)
        balboa.start()
        balboa.expect(twice, "after a restart")
        balboa.stop(signal.SIGTERM)
    except BaseException:
        balboa.log.flush()
        sys.stderr.write((work / "log").read_text(errors="replace")[-3000:])
        for process in (balboa.back, balboa.front):
            process.kill()
        raise


main()
