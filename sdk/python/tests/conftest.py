"""Fixtures; sdk/harness.py --without-scenarios gives the servers."""
import asyncio
import os

import pytest

import atoll


@pytest.fixture
def client():
    with atoll.Atoll() as made:
        yield made


@pytest.fixture
def box(client):
    with client.create() as made:
        yield made


@pytest.fixture
def run():
    """Runs a coroutine."""
    return asyncio.run


@pytest.fixture
def faulty():
    """A client behind the proxy that misbehaves, and how it is told to."""
    import json
    import urllib.request

    def tell(*rules):
        request = urllib.request.Request(f"{os.environ['ATOLL_CONTROL']}/faults", json.dumps({"rules": rules}).encode(),
                                         {"content-type": "application/json"})
        urllib.request.urlopen(request, timeout=60).close()

    with atoll.Atoll(os.environ["ATOLL_FAULTY_URL"]) as made:
        yield made, tell
        tell()
