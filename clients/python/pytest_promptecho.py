"""A pytest plugin: under `promptecho serve -cassettes DIR`, each test has a cassette of its own.

    promptecho serve -cassettes cassettes -- pytest -p pytest_promptecho

The base URLs of the SDKs stand in the environment while tests are collected and run. A request
that has no recording, and a recording that was not used, fail the test, with the report.
It needs nothing but pytest, 7 or later, and Python, 3.8 or later.
"""

import json
import os
import shutil
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest
from _pytest.runner import runtestprotocol

SERVE = os.environ.get("PROMPTECHO_URL") if "PROMPTECHO_PATHS" in os.environ else None  # None if tests have no cassettes
BY = "pytest-%d" % os.getpid()


class Refused(Exception):
    """What promptecho serve says if it cannot do what it is asked."""


def ask(method, path, body=None):
    request = urllib.request.Request(SERVE + path, method=method, data=body and json.dumps(body).encode())
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as err:
        raise Refused(json.load(err)["error"]) from None
    except OSError as err:
        raise Refused("promptecho serve does not answer: %s" % err) from None


def pytest_addoption(parser):
    group = parser.getgroup("promptecho")
    group.addoption("--promptecho-mode", metavar="MODE", default="", help="the record mode: once, none, new_episodes, update, all")


def pytest_configure(config):
    if SERVE:
        for name, path in json.loads(os.environ["PROMPTECHO_PATHS"]).items():
            os.environ[name] = SERVE + "/in/" + BY + path
    elif config.getoption("--promptecho-mode"):
        raise pytest.UsageError("--promptecho-mode: run pytest under promptecho serve: promptecho serve -cassettes cassettes -- pytest")


@pytest.fixture
def promptecho(request):
    """The cassette of the test: cassette, url and env, as promptecho serve has opened it."""
    if not SERVE:
        pytest.fail("run pytest under promptecho serve: promptecho serve -cassettes cassettes -- pytest", pytrace=False)
    return request.node.promptecho


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if SERVE and isinstance(item.promptecho, Refused):
        pytest.fail(str(item.promptecho), pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if not SERVE:
        return None
    path = "/cassettes/" + urllib.parse.quote(item.nodeid.replace("::", "/"))
    python = os.path.basename(sys.executable)
    if shutil.which(python) != sys.executable:
        python = sys.executable
    command = [python, "-m", "pytest", *plugins(item.config), item.nodeid]
    try:
        item.promptecho = ask("POST", path, {"by": BY, "mode": item.config.getoption("--promptecho-mode"), "command": command})
    except Refused as err:
        item.promptecho = err
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if not isinstance(item.promptecho, Refused):
        end(path, reports)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def plugins(config):
    """What has loaded this plugin, if it is not installed."""
    return ["-p", __name__] if __name__ in config.option.plugins else []


def end(path, reports):
    failed, skipped = any(r.failed for r in reports), any(r.skipped for r in reports)
    try:
        told = ask("DELETE", path + "?passed=%s&skipped=%s" % (str(not failed).lower(), str(skipped).lower()))
    except Refused as err:
        told = {"ok": False, "text": str(err)}
    report = next((r for r in reports if r.when == "call"), reports[0])
    if not told["ok"] and not failed:
        report.outcome, report.longrepr = "failed", "promptecho: " + told["text"]
    elif told["text"] and (failed or not told["ok"]):
        next((r for r in reports if r.failed), report).sections.append(("promptecho", told["text"]))
