"""Publishes, lists, changes, deletes and batches with a Graph client library pointed at a store.

Usage: graph_client.py ADDRESS TOKEN    (needs msgraph-core and microsoft-kiota-serialization-json)
"""

import asyncio
import json
import sys
import urllib.request
from urllib.parse import urlsplit

import httpx
from kiota_abstractions.authentication import AnonymousAuthenticationProvider
from kiota_serialization_json.json_parse_node_factory import JsonParseNodeFactory
from kiota_serialization_json.json_serialization_writer_factory import (
    JsonSerializationWriterFactory,
)
from msgraph_core import BaseGraphRequestAdapter, GraphClientFactory
from msgraph_core.requests.batch_request_builder import BatchRequestBuilder
from msgraph_core.requests.batch_request_content import BatchRequestContent
from msgraph_core.requests.batch_request_item import BatchRequestItem

# The publication of the vendor's guide, as it stands there.
SAMPLE = {
    "targetHostName": "graphnotifications.sample.windows.com",
    "appNotificationId": "testDirectToastNotification",
    "groupName": "TestGroup",
    "targetPolicy": {"platformTypes": ["windows", "ios", "android"]},
    "priority": "High",
    "displayTimeToLive": "60",
    "payload": {"visualContent": {"title": "Hello World!", "body": "Notifications are Great!"}},
}


def expect(condition, what):
    if not condition:
        sys.exit(f"The Graph client did not see {what}.")


async def run(address, token):
    base = address + "/beta"
    client = GraphClientFactory.create_with_default_middleware(
        client=httpx.AsyncClient(base_url=base, headers={"Authorization": f"Bearer {token}"})
    )

    made = await client.post(base + "/me/notifications", json=SAMPLE)
    expect(made.status_code == 201, f"a publication: {made.status_code} {made.text}")
    item = made.json()["id"]
    expect(made.headers["Location"].endswith(item), "the item's address")

    listed = await client.get(
        base + "/me/notifications",
        params={"$filter": "groupName eq 'TestGroup' and readState eq 'unread'", "$top": "5"},
    )
    expect(item in [one["id"] for one in listed.json()["value"]], f"the item listed: {listed.text}")

    changed = await client.patch(base + f"/me/notifications/{item}", json={"readState": "read"})
    expect(changed.status_code == 200 and changed.json()["readState"] == "read", "a change")

    adapter = BaseGraphRequestAdapter(
        AnonymousAuthenticationProvider(),
        JsonParseNodeFactory(),
        JsonSerializationWriterFactory(),
        client,
    )
    adapter.base_url = base
    content = BatchRequestContent()
    for name, method, url, body in [
        ("1", "POST", "/me/notifications", SAMPLE | {"appNotificationId": "batched"}),
        ("2", "GET", f"/me/notifications/{item}", None),
        ("3", "GET", "/me/notifications/00000000-0000-7000-8000-000000000000", None),
    ]:
        request = urllib.request.Request(
            base + url,
            data=json.dumps(body).encode() if body else None,
            headers={"Content-Type": "application/json"} if body else {},
            method=method,
        )
        item_request = BatchRequestItem.create_with_urllib_request(request, name)
        item_request.set_url(url)
        content.add_request(name, item_request)
    answer = await BatchRequestBuilder(adapter).post(content)
    statuses = {name: answer.get_response_by_id(name).status for name in ("1", "2", "3")}
    expect(statuses == {"1": 201, "2": 200, "3": 404}, f"the batch answered: {statuses}")

    for _ in range(2):
        deleted = await client.delete(base + f"/me/notifications/{item}")
        expect(deleted.status_code == 204, f"a deletion: {deleted.status_code}")
    gone = await client.get(base + f"/me/notifications/{item}")
    expect(gone.status_code == 404, "that the item is gone")
    expect(gone.json()["error"]["code"] == "itemNotFound", "Graph's error shape")
    await client.aclose()
    print(f"A Graph client library works with {urlsplit(address).netloc}.")


asyncio.run(run(*sys.argv[1:]))
