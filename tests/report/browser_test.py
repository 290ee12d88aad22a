# SPDX-License-Identifier: MIT
"""Opens a page of made-up candidates in a headless Chromium and uses it as a person would.

browser_test.py CHROMIUM PAGE PROFILE [--measure]: exit code 77 where this Chromium does not start. --measure only says how long a page
takes from the navigation until all of it can be used, and until it is painted (docs/report-page.md). Speaks the browser's own protocol over two
pipes (--remote-debugging-pipe), so that nothing has to be added to the page, and no port is open.
"""
import json
import os
import select
import signal
import subprocess
import sys
import time


class Browser:
    def __init__(self, program, profile):
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()

        def numbers():  # the browser's ends of the pipes are 3 and 4
            keep = os.dup(to_browser), os.dup(from_browser)
            os.dup2(keep[0], 3)
            os.dup2(keep[1], 4)

        command = [program, "--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--user-data-dir=" + profile]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        self.process = subprocess.Popen(command, preexec_fn=numbers, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []

    def message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_fd], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.read_fd, 1 << 16)
            if not got:
                raise ConnectionError("the browser ended")
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, timeout=60, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            message = self.message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression, what):
        deadline = time.monotonic() + 30
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise AssertionError(f"{what}: {expression} does not become true")
            time.sleep(0.03)

    def key(self, key, code=0, text=""):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **extra)

    def type(self, text):
        for character in text:
            self.key(character, ord(character.upper()), character)

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def check(what, good, shown=""):
    if not good:
        raise AssertionError(f"{what} {shown}")
    print("ok:", what)


COLUMN = """[...document.querySelectorAll('#candidate-table tbody tr')].map(row => row.cells[%d].textContent)"""


def use(browser, url):
    """How many events there were before some were provoked."""
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable")
    browser.call("Page.navigate", url=url)
    browser.wait("document.readyState === 'complete' && document.documentElement?.dataset.ready === '1'", "the page is ready")
    focused = "document.activeElement.textContent"

    # Sorting, by keyboard only.
    browser.evaluate("document.querySelectorAll('#candidate-table th .sort')[2].focus()")
    browser.key("Enter", 13, "\r")
    browser.wait("document.querySelectorAll('#candidate-table th')[2].getAttribute('aria-sort') === 'descending'", "sorted")
    browser.evaluate("document.querySelectorAll('#candidate-table th .sort')[8].focus()")
    browser.key(" ", 32, " ")
    values = [float(v.rstrip(" ?").rstrip("x")) for v in browser.evaluate(COLUMN % 8) if v]
    check("Space on a column's button sorts by it", len(values) == 100 and values == sorted(values, reverse=True), values[:5])
    check("only that column is told as sorted", browser.evaluate(
        "[...document.querySelectorAll('#candidate-table [aria-sort]')].map(th => th.cellIndex)") == [8])
    browser.key("Enter", 13, "\r")
    values = [float(v.rstrip(" ?").rstrip("x")) for v in browser.evaluate(COLUMN % 8) if v]
    check("again: the other way round", values == sorted(values), values[:5])
    board = "[...document.querySelectorAll('section.level:not([hidden]) tbody tr')].map(row => row.cells[2].dataset.v)"
    browser.evaluate("document.querySelectorAll('section.level:not([hidden]) .sort')[2].focus()")
    browser.key("Enter", 13, "\r")
    values = [float(v) for v in browser.evaluate(board)]
    check("the leaderboard sorts", values == sorted(values, reverse=True) and len(values) == 3, values)

    # Filtering, by keyboard only.
    count = "Number(document.getElementById('filter-count').textContent.split(' ')[0])"
    everything = browser.evaluate(count)
    check("all candidates are listed", everything == 700, everything)
    browser.evaluate("document.activeElement.blur()")
    browser.key("/", 191, "/")
    check("/ goes to the filter box", browser.evaluate("document.activeElement.id") == "filter-text")
    browser.type("model-1-large")
    browser.wait(f"{count} < 700 && {count} > 200", "the list is shorter")
    check("the filter box filters by run", set(browser.evaluate(COLUMN % 0)) == {"model-1-large"})
    for _ in range(4):
        browser.key("Tab", 9)
    check("Tab goes on to the choices", browser.evaluate("document.activeElement.id") == "filter-rule", browser.evaluate("document.activeElement.id"))
    browser.evaluate("(() => { const s = document.getElementById('filter-verdict'); s.focus(); })()")
    browser.type("build")  # a select takes what is typed
    browser.wait("document.getElementById('filter-verdict').value === 'build_error'", "the verdict is chosen")
    browser.wait(f"{count} < 60", "the list is shorter still")
    check("the verdict filters", set(browser.evaluate(COLUMN % 7)) == {"build_error"}, browser.evaluate(COLUMN % 7))
    shown = browser.evaluate("[...document.querySelectorAll('#problem-table tbody tr')].filter(row => !row.hidden).length")
    check("problems follow the filter", 0 < shown < 60, shown)
    browser.evaluate("document.getElementById('filter-clear').focus()")
    browser.key("Enter", 13, "\r")
    check("everything is back", browser.evaluate(count) == 700)

    # Details: of all hostile candidates (made.h: every 23rd from the 6th on), and of some others. A browser slows down pages that change
    # their address more often than 200 times in 10 s.
    opened, wanted = browser.evaluate("""(async () => {
      const ids = JSON.parse(document.getElementById('index').textContent).candidates.map(row => row[0]).filter(id => id % 23 === 6 || id % 31 === 0);
      let good = 0;
      for (const id of ids) {
        location.hash = '#c' + id;
        await new Promise(done => addEventListener('hashchange', () => setTimeout(done, 60), {once: true}));
        const article = document.getElementById('candidate');
        const sections = article.querySelectorAll('h3').length, source = article.querySelector('pre.source');
        if (!article.hidden && sections >= 2 && source && source.textContent.includes('class ModelNew') && document.activeElement.id === 'candidate-heading') ++good;
        if (article.querySelector('script, img, svg, iframe, form, base, a:not([href^="#c"])')) return [-id, ids.length];
      }
      return [good, ids.length];
    })()""")
    check("candidates open, with their source, and add no element of their own", opened == wanted and wanted > 50, (opened, wanted))
    browser.evaluate("location.hash = '#candidates'")
    browser.wait("document.getElementById('candidate').hidden && !document.getElementById('overview').hidden", "back to the list")
    check("hostile names are shown as they are", browser.evaluate(
        "document.querySelector('#leaderboard').textContent.includes('<img src=x onerror=')"))
    check("marks of direction are visible", browser.evaluate(
        "JSON.stringify(JSON.parse(document.getElementById('index').textContent)).includes('\\\\\\\\u202e')"))

    browser.evaluate("document.getElementById('theme').focus()")
    before = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    browser.key("Enter", 13, "\r")
    check("the theme changes", before != browser.evaluate("getComputedStyle(document.body).backgroundColor"), browser.evaluate(focused))

    check("no script of theirs ran", browser.evaluate("document.documentElement.dataset.owned") is None)
    check("one script, one style", browser.evaluate(
        "[document.querySelectorAll('script:not([type])').length, document.querySelectorAll('style').length, document.querySelectorAll('iframe, img, object, base, form, link').length]") == [1, 1, 0])

    # The policy is what stops a script even if one got in: a proof that it is in force.
    before_proof = len(browser.events)
    browser.evaluate("""(() => { const s = document.createElement('script'); s.textContent = "document.documentElement.dataset.proof = '1'";
      document.body.append(s); const d = document.createElement('div'); d.setAttribute('onclick', "document.documentElement.dataset.proof = '2'");
      document.body.append(d); d.click(); })()""")
    check("an added script does not run", browser.evaluate("document.documentElement.dataset.proof") is None)
    return before_proof


def look(browser, url):
    """The page at two widths, in print and without scripts."""
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime"):
        browser.call(domain + ".enable")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def at(width):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        return browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    # Which scrolling boxes hide a part of what they hold, by the text of their first head.
    hidden = """[...document.querySelectorAll('#overview .scroll')].filter(box => box.offsetParent && box.scrollWidth > box.clientWidth + 1)
      .map(box => box.querySelector('th').textContent)"""
    at(1280)
    browser.call("Page.navigate", url=url)
    browser.wait("document.readyState === 'complete' && document.documentElement?.dataset.ready === '1'", "the page is ready")
    check("at 1280 px no table of the overview is cut", browser.evaluate(hidden) == [], browser.evaluate(hidden))
    check("at 390 px only tables scroll", at(390) <= 0)

    at(1280)
    what = "({shown: [...document.querySelectorAll('section.level, section.level h3, details.key dl, #owed table, #problem-table, #candidate-table')]" \
        ".map(node => node.getBoundingClientRect().height > 0), controls: [...document.querySelectorAll('button:not(.sort), select, input, nav, summary')]" \
        ".filter(node => node.getBoundingClientRect().height > 0).map(node => node.tagName + '#' + node.id), ground: getComputedStyle(document.body).backgroundColor," \
        " ink: getComputedStyle(document.body).color})"
    check("the screen is dark", browser.evaluate(what)["ground"] != "rgb(255, 255, 255)")
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = browser.evaluate(what)
    check("in print all levels and explanations are there", len(printed["shown"]) > 10 and all(printed["shown"]), printed)
    check("in print there are no controls", printed["controls"] == [], printed["controls"])
    check("print is black on white", (printed["ground"], printed["ink"]) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)"), printed)
    at(1030)  # of A4 across, less its margins
    check("in print no table is wider than the paper", browser.evaluate(hidden) == [], browser.evaluate(hidden))
    browser.evaluate("dispatchEvent(new Event('afterprint'))")
    check("after print the explanations are closed again", not browser.evaluate("document.querySelector('details.key').open"))

    browser.call("Emulation.setEmulatedMedia", media="")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    at(1280)
    browser.call("Page.navigate", url="about:blank")
    browser.call("Page.navigate", url=url)
    browser.wait("document.readyState === 'complete' && document.getElementById('index') !== null", "the page is read")
    bare = browser.evaluate(what)
    check("the script did not run", browser.evaluate("document.documentElement.dataset.ready") is None)
    # All but the list of candidates, which is the script's.
    there = browser.evaluate("[...document.querySelectorAll('section.level, details.key dl, #figures svg, #owed table, #owed svg, #problem-table tbody tr')]"
                             ".map(node => node.getBoundingClientRect().height > 0)")
    check("without it leaderboard, figures and problems are there", len(there) > 250 and all(there), len(there))
    check("without it no control is shown that does nothing", [c for c in bare["controls"] if not c.startswith(("NAV", "SUMMARY"))] == [], bare["controls"])
    check("without it the page says what is missing", "kbv show" in browser.evaluate("document.querySelector('noscript').textContent"))


def measure(browser, url):
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.call("Page.enable")
    browser.call("Page.navigate", url=url + "#measure")
    browser.wait("document.documentElement?.dataset.paintMs", "the page is painted")
    facts = browser.evaluate("""({...document.documentElement.dataset, ttfb: performance.getEntriesByType('navigation')[0].responseStart.toFixed(0),
      heap: (performance.memory.usedJSHeapSize / 1048576).toFixed(0), nodes: document.getElementsByTagName('*').length})""")
    opened = browser.evaluate("""(async () => {
      const from = performance.now();
      location.hash = '#c' + JSON.parse(document.getElementById('index').textContent).candidates[1234 % 700][0];
      await new Promise(done => addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(done)), {once: true}));
      return performance.now() - from;
    })()""")
    print(f"read after {facts['readMs']} ms, usable after {facts['scriptMs']} ms, painted after {facts['paintMs']} ms; {facts['nodes']} elements, {facts['heap']} MiB of script's memory; "
          f"a candidate opens in {opened:.0f} ms")


def complaints(events, url):
    """What the console, the log and the network say that should not be there."""
    said = []
    for event in events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            said.append(parameters["exceptionDetails"].get("text"))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert", "warning"):
            said.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            said.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent" and parameters["request"]["url"].split("#")[0] != url:
            said.append("asked for " + parameters["request"]["url"])
    return said


def main():
    program, page, profile = sys.argv[1:4]
    url = "file://" + os.path.abspath(page)
    try:
        browser = Browser(program, profile)
    except OSError as error:
        print(f"skipped: {program} does not start: {error}")
        return 77
    try:
        try:
            print("browser:", browser.call("Browser.getVersion", timeout=90)["product"])
        except (ConnectionError, TimeoutError) as error:
            print(f"skipped: {program} does not start: {error}")
            return 77
        if "--measure" in sys.argv:
            measure(browser, url)
            return 0
        before_proof = use(browser, url)
        said = complaints(browser.events[:before_proof], url)
        check("no error, no violation, no request", said == [], said)
        provoked = complaints(browser.events[before_proof:], url)
        check("the policy tells of what it stopped", any("Content Security Policy" in text for text in provoked), provoked)
        look(browser, url)
    finally:
        browser.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
