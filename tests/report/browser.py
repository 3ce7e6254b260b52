#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that opens pages from files, spoken to over a pipe (the DevTools protocol).

As a program, takes a picture of a page: browser.py PAGE.html PICTURE.png [--width 1280] [--height 900] [--dark]
"""
import argparse
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds for any answer; the machine may be busy


class Browser:
    """Messages end in a zero byte; the browser reads them from file 3 and writes its own to file 4."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="sosia-browser-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The shell puts the ends of the pipes where the browser looks for them.
        pipes = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 "--disable-dev-shm-usage", "--disable-background-networking", "--remote-debugging-pipe",
                 f"--user-data-dir={self._folder.name}"]
        self._process = subprocess.Popen(["sh", "-c", pipes, "sh", self.program(), *flags, "about:blank"],
                                         pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._id, self._session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    @staticmethod
    def program():
        """The browser, or None."""
        return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()

    def _receive(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(self._in, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError("the browser does not answer")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Runs a command; what happens meanwhile is added to `events`."""
        self._id += 1
        message = {"id": self._id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, page, width=1280, height=900, dark=False):
        """Opens a file in a window of this size, and waits until it is drawn."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media="screen",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        end = time.monotonic() + PATIENCE
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > end:
                raise RuntimeError("the page is not loaded")
            self.value("0")
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def value(self, script):
        """What a script of one expression comes to."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def picture(self, path, whole=False):
        """The window, or the whole page, as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def print(self, path):
        """The page as PDF."""
        self.call("Emulation.setEmulatedMedia", media="print")
        data = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("picture", help=".png, or .pdf to print it")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--whole", action="store_true", help="not only what the window shows first")
    options = parser.parse_args()
    with Browser() as browser:
        browser.open(options.page, options.width, options.height, options.dark)
        if options.picture.endswith(".pdf"):
            browser.print(options.picture)
        else:
            browser.picture(options.picture, options.whole)


if __name__ == "__main__":
    main()
