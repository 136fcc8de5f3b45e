# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests of pages, through its pipe of JSON messages; needs no other package."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """Chromium's path; None: there is none."""
    return next((path for name in ('chromium', 'chromium-browser', 'google-chrome') if (path := shutil.which(name))), None)


class Chromium:
    """One page. `errors`: texts of exceptions and of console.error, until now."""

    def __init__(self, width=1400, height=900, seconds=60):
        self.seconds, self.errors, self.requests, self.number, self.buffer = seconds, [], [], 0, b''
        self.folder = tempfile.TemporaryDirectory(prefix='tenon_chromium_', ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()

        def pipes():  # Chromium reads from descriptor 3 and writes to 4
            read, write = os.dup(to_read), os.dup(to_write)
            os.dup2(read, 3)
            os.dup2(write, 4)
        self.process = subprocess.Popen(
            [find(), '--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run',
             '--disable-background-networking', '--disable-dev-shm-usage', f'--user-data-dir={self.folder.name}',
             f'--window-size={width},{height}', '--remote-debugging-pipe', 'about:blank'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pipes,
            close_fds=False)
        os.close(to_read)
        os.close(to_write)
        self.session = None
        page = next(t for t in self.call('Target.getTargets')['targetInfos'] if t['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=page['targetId'], flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        self.folder.cleanup()

    def _next(self, until):
        while b'\0' not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.of], [], [], left)[0]:
                raise TimeoutError('Chromium does not answer')
            read = os.read(self.of, 1 << 20)
            if not read:
                raise EOFError('Chromium has ended')
            self.buffer += read
        message, self.buffer = self.buffer.split(b'\0', 1)
        message = json.loads(message)
        method, params = message.get('method'), message.get('params', {})
        if method == 'Runtime.exceptionThrown':
            details = params['exceptionDetails']
            self.errors.append(details.get('exception', {}).get('description') or details['text'])
        elif method == 'Runtime.consoleAPICalled' and params['type'] in ('error', 'assert'):
            self.errors.append(' '.join(str(a.get('value', a.get('description'))) for a in params['args']))
        elif method == 'Log.entryAdded' and params['entry']['level'] == 'error':
            self.errors.append(params['entry']['text'])
        elif method == 'Network.requestWillBeSent':
            self.requests.append(params['request']['url'])
        return message

    def call(self, method, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + self.seconds
        while True:
            answer = self._next(until)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']

    def open(self, path):
        """Opens a file and waits until its page is ready. Returns milliseconds since the beginning of the navigation."""
        self.call('Page.navigate', url=pathlib.Path(path).resolve().as_uri())
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            ready = self.run('document.documentElement && document.documentElement.dataset.ready')
            if ready:
                return int(ready)
            if self.errors:
                raise RuntimeError(self.errors[0])
            time.sleep(0.05)
        raise TimeoutError(f'{path} is not ready after {self.seconds} s')

    def run(self, expression):
        """The value of an expression, as JSON gives it; waits for a promise."""
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(answer['exceptionDetails'].get('exception', {}).get('description') or expression)
        return answer['result'].get('value')

    def press(self, *keys):
        """Presses keys one after another, by their names in JavaScript."""
        for key in keys:
            code = {'Enter': 13, 'Escape': 27}.get(key, 0)
            text = {'text': key} if len(key) == 1 else {'text': '\r'} if key == 'Enter' else {}
            self.call('Input.dispatchKeyEvent', type='keyDown', key=key, windowsVirtualKeyCode=code, **text)
            self.call('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code)

    def click(self, x, y):
        self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)
        for what in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=what, x=x, y=y, button='left', clickCount=1)

    def dark(self, on=True):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if on else 'light'}])

    def frame(self):
        """Waits until what has changed is painted."""
        self.run('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))')

    def screenshot(self, path):
        self.frame()
        pathlib.Path(path).write_bytes(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))
