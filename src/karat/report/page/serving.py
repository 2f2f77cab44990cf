"""One page, served to this machine only."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ADDRESS = "127.0.0.1"
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    # A page of other people's texts: whatever is in them, nothing of it runs or is fetched.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}


def server(page: bytes, port: int = 0) -> ThreadingHTTPServer:
    """A server of the page, ready to `serve_forever`; port 0 is any that is free."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # A page from elsewhere must not reach this one under a name of its own.
            asked = (self.headers.get("Host") or "").rpartition(":")[0]
            if asked not in (ADDRESS, "localhost"):
                self.send_error(403)
            elif self.path.partition("?")[0] != "/":
                self.send_error(404)
            else:
                self.send_response(200)
                for name, value in (*_HEADERS.items(), ("Content-Length", str(len(page)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(page)

        def log_message(self, *_: Any) -> None:
            """Requests are not reported."""

    return ThreadingHTTPServer((ADDRESS, port), Handler)
