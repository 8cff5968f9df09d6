"""A web server on this machine with the faults of real ones, so that tests never use the network."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server(ThreadingHTTPServer):
    """Serves the files of one folder and notes every request; the attributes are its faults."""

    def __init__(self, folder: str, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.files = files
        self.validators = {"ETag": '"first"'}
        self.requests: list[tuple[str, str | None, str | None]] = []  # file, Range, If-Range
        self.break_after: list[int] = []  # per coming answer: bytes until the connection breaks
        self.ignores_range = False
        self.ignores_if_range = False
        self.extra_length = 0
        self.status: int | None = None
        self.open = threading.Event()
        self.open.set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def ranges(self) -> list[str | None]:
        return [asked for _, asked, _ in self.requests]


class Handler(BaseHTTPRequestHandler):
    """One request; HTTP/1.0, so that returning closes the connection."""

    server: Server

    def do_GET(self) -> None:
        server = self.server
        folder, name = self.path.strip("/").split("/")
        asked, condition = self.headers["Range"], self.headers["If-Range"]
        server.requests.append((name, asked, condition))
        assert server.open.wait(20)
        if server.status or folder != server.folder:
            self.send_error(server.status or 404)
            return
        body = server.files[name]
        unchanged = server.ignores_if_range or condition in server.validators.values()
        start = int(asked[6:-1]) if asked and unchanged and not server.ignores_range else 0
        if start >= len(body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        for header, value in server.validators.items():
            self.send_header(header, value)
        self.send_header("Content-Length", str(len(body) - start + server.extra_length))
        self.end_headers()
        stop = start + server.break_after.pop(0) if server.break_after else len(body)
        with contextlib.suppress(ConnectionError):  # the client may have gone
            self.wfile.write(body[start:stop])

    def log_message(self, format: str, *arguments: Any) -> None:
        """The requests are in the server's list."""


@contextlib.contextmanager
def serving(folder: str, files: dict[str, bytes]) -> Iterator[Server]:
    """Gives a running server for `<address>/<folder>/<file>`."""
    with Server(folder, files) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.open.set()
            server.shutdown()
            thread.join()
