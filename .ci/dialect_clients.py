"""Publishes and listens with clients of other services, pointed at a store.

Usage: dialect_clients.py ADDRESS PUBLISH_TOKEN DEVICE_TOKEN LAPTOP_TOKEN BELLHOP
(the publish token is for the app nas; with the laptop's, the program BELLHOP signs in; needs
aiontfy, apprise, gotify, ntfpy, ntfy-api, websocket-client and websockets)
"""

import asyncio
import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request
from urllib.parse import urlsplit

import aiohttp
import aiontfy
import apprise
import gotify
import ntfpy
import ntfy_api
import websocket

address, publisher, device, laptop, bellhop = sys.argv[1:]
host = urlsplit(address).netloc


def expect(condition, what):
    if not condition:
        sys.exit(f"The clients did not see {what}.")


def call(path, method="GET", body=None):
    request = urllib.request.Request(
        address + path, method=method, data=body,
        headers={"Authorization": f"Bearer {device}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


def items():
    return json.loads(call("/v1.0/me/notifications"))["value"]


def with_apprise():
    """Each of its three ways, with what it can say in it."""
    says = {"ntfy": f"ntfy://nas:{publisher}@{host}/nas?priority=high&tags=disk,nas"
                    "&click=https://nas.local/&attach=https://nas.local/log.txt"
                    "&format=markdown",
            "gotify": f"gotify://{host}/{publisher}?priority=high&format=markdown",
            "json": f"json://nas:{publisher}@{host}/notify",
            "apprise": f"apprise://nas:{publisher}@{host}/nas"}
    for name, url in says.items():
        client = apprise.Apprise()
        client.add(url)
        sent = client.notify(title=f"by {name}", body="**done**", body_format="markdown",
                             notify_type="warning")
        expect(sent, f"apprise publish by {name}")
        item = items()[0]
        visual = item["payload"]["visualContent"]
        expect(visual["title"] == f"by {name}", f"the title by {name}: {visual}")
        expect(item["priority"].lower() == "high", f"the priority by {name}: {item['priority']}")
        expect(item["targetHostName"] == "nas", f"the app by {name}")
        if name in ("ntfy", "gotify"):
            expect(item.get("markdown"), f"{name}'s Markdown: {item}")
        if name == "ntfy":
            expect(item["tags"] == ["disk", "nas"], f"ntfy's tags: {item}")
            expect(item["clickUrl"] == "https://nas.local/", f"ntfy's link: {item}")


def expect_file(item, name, content, who):
    """The item's file, fetched without a token."""
    attachment = (item.get("attachments") or [{}])[0]
    expect(attachment.get("name") == name and attachment.get("size") == len(content),
           f"the file by {who}: {item}")
    with urllib.request.urlopen(address + attachment["url"], timeout=20) as answer:
        expect(answer.read() == content, f"the bytes of the file by {who}")


def with_files():
    """A picture, by each of apprise's ways that has files."""
    content = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chart.png")
        with open(path, "wb") as file:
            file.write(content)
        for name, url in {"ntfy": f"ntfy://nas:{publisher}@{host}/nas",
                          "json": f"json://nas:{publisher}@{host}/notify",
                          "apprise": f"apprise://nas:{publisher}@{host}/nas"}.items():
            client = apprise.Apprise()
            client.add(url)
            expect(client.notify(title=f"file by {name}", body="see", attach=path),
                   f"apprise's file by {name}")
            item = items()[0]
            expect(item["payload"]["visualContent"] == {"title": f"file by {name}", "body": "see"},
                   f"the message beside the file by {name}: {item}")
            expect(item["attachments"][0]["type"] == "image/png", f"its type by {name}: {item}")
            expect_file(item, "chart.png", content, name)
        with open(path, "rb") as file:
            client = ntfy_api.NtfyPublisher(address, bearer=publisher)
            sent = client.publish(ntfy_api.Message(
                topic="nas", message="see", filename="chart.png", data=file))
            expect(sent.status_code == 200, f"the upload of ntfy's library: {sent.text}")
            url = sent.json()["attachment"]["url"]
            expect(url.startswith(address + "/file/"), f"an absolute address: {url}")
            expect_file(items()[0], "chart.png", content, "ntfy's library")


def with_details():
    """What else apprise's address of ntfy can say."""
    client = apprise.Apprise()
    client.add(f"ntfy://nas:{publisher}@{host}/nas?priority=max&tags=disk&delay=30m"
               "&click=https://nas.local/&actions=view,%20Open,%20https://nas.local/")
    expect(client.notify(body="later"), "apprise's delayed message")
    item = next(item for item in items() if item["payload"]["visualContent"]["title"] == "later")
    expect(item["priority"].lower() == "urgent", f"its priority: {item}")
    expect("deliverAfterDateTime" in item, f"its delay: {item}")
    expect(item["actions"][0]["title"] == "Open", f"its action: {item}")
    call(f"/v1.0/me/notifications/{item['id']}", "DELETE")


class Listener:
    """What a subscriber is told, by each of three programs of others."""

    def __init__(self, name):
        self.name = name
        self.events = []
        self.news = threading.Condition()

    def tell(self, event):
        with self.news:
            self.events.append(event)
            self.news.notify_all()

    def wait(self, what, test):
        with self.news:
            expect(self.news.wait_for(lambda: any(map(test, self.events)), timeout=20),
                   f"{what}, by {self.name}: {self.events}")

    @staticmethod
    def aiontfy():
        """The library of Home Assistant, over a WebSocket."""
        listener = Listener("aiontfy")

        async def read():
            async with aiohttp.ClientSession() as session:
                await aiontfy.Ntfy(address, session, token=device).subscribe(
                    ["nas"], lambda told: listener.tell(told.to_dict()))
        threading.Thread(target=lambda: asyncio.run(read()), daemon=True).start()
        return listener

    @staticmethod
    def ntfpy():
        """A stream of JSON lines; what is no message, the library only logs."""
        listener = Listener("ntfpy")

        class Log(logging.Handler):
            def emit(self, record):
                listener.tell(record.msg)
        log = logging.getLogger("ntfpy.raw_subscribe")
        log.setLevel(logging.DEBUG)
        log.addHandler(Log())
        threading.Thread(target=lambda: asyncio.run(ntfpy.raw_subscribe(
            address, "nas", auth=f"nas:{device}",
            handler=lambda told: listener.tell({"event": "message", "message": told.message}))),
            daemon=True).start()
        return listener

    @staticmethod
    def plain():
        """A WebSocket that wants its pings answered."""
        listener = Listener("a WebSocket")
        socket = websocket.WebSocketApp(
            f"ws://{host}/nas/ws", header={"Authorization": f"Bearer {device}"},
            on_message=lambda _, text: listener.tell(json.loads(text)))
        threading.Thread(
            target=socket.run_forever, kwargs={"ping_interval": 2, "ping_timeout": 1},
            daemon=True).start()
        return listener


def with_ntfy(laptop_says):
    """A publisher's library, and subscribers who see what devices do."""
    listeners = [Listener.aiontfy(), Listener.ntfpy(), Listener.plain()]
    for listener in listeners:
        listener.wait("an open stream", lambda event: event["event"] == "open")
    client = ntfy_api.NtfyPublisher(address, bearer=publisher)
    sent = client.publish(ntfy_api.Message(
        topic="nas", message="disk full", title="ntfy's library", priority=5,
        tags=["disk"], click="https://nas.local/"))
    expect(sent.status_code == 200, f"ntfy's library publish: {sent.text}")
    for listener in listeners:
        listener.wait("the message", lambda event: event.get("message") == "disk full")
    item = items()[0]
    expect(item["payload"]["visualContent"]["title"] == "ntfy's library", f"the item: {item}")
    laptop_says("sync")
    laptop_says("dismiss", "--wait", item["id"])
    for listener in listeners:
        listener.wait("that it was dismissed", lambda event: event["event"] == "message_clear"
                      and event["sequence_id"] == item["id"])
    laptop_says("delete", "--wait", item["id"])
    for listener in listeners:
        listener.wait("that it was deleted", lambda event: event["event"] == "message_delete"
                      and event["sequence_id"] == item["id"])


@contextlib.contextmanager
def a_laptop():
    """The program with a home of its own, signed in: a function that calls it."""
    with tempfile.TemporaryDirectory() as home:
        places = {f"XDG_{name}": os.path.join(home, name.lower()) for name in
                  ["CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"]}
        os.mkdir(places["XDG_RUNTIME_DIR"], mode=0o700)
        environment = {**os.environ, **places, "HOME": home}

        def says(*words, text=None):
            done = subprocess.run([bellhop, *words], env=environment, input=text,
                                  capture_output=True, text=True, timeout=60)
            expect(done.returncode == 0, f"bellhop {words[0]}: {done.stdout}{done.stderr}")
        says("login", address, "--token-file", "-", "--device", "laptop", text=laptop)
        yield says


async def with_gotify():
    """A library for both sides, its stream included."""
    application = gotify.Gotify(base_url=address, app_token=publisher)
    client = gotify.Gotify(base_url=address, client_token=device)
    listener = gotify.AsyncGotify(base_url=address, client_token=device)
    stream = listener.stream()
    first = asyncio.ensure_future(stream.__anext__())
    while True:
        # The stream has no sign of its beginning.
        sent = application.create_message("disk full", title="gotify's library", priority=8)
        done, _ = await asyncio.wait([first], timeout=1)
        if done:
            break
    expect(first.result()["title"] == "gotify's library", f"the streamed message: {first.result()}")
    await stream.aclose()
    messages = client.get_messages(limit=1)
    expect(messages["messages"][0]["id"] == sent["id"], f"its message: {messages}")
    expect(client.get_current_user()["name"], "who they are")
    expect("nas" in [app["name"] for app in client.get_applications()], "the application nas")
    made = client.create_application("The attic", description="up there", default_priority=8)
    attic = gotify.Gotify(base_url=address, app_token=made["token"])
    dry = attic.create_message("dry")
    expect(dry["appid"] == made["id"] and dry["priority"] == 8, f"its application: {made} {dry}")
    expect(items()[0]["priority"].lower() == "high", f"its default priority: {items()[0]}")
    expect(attic.create_message("damp", priority=2)["priority"] == 2, "a priority of its own")
    listed = [app for app in client.get_applications() if app["id"] == made["id"]]
    expect([(app["description"], app["defaultPriority"]) for app in listed] == [("up there", 8)],
           f"the new application: {listed}")
    changed = client.update_application(made["id"], "Attic", "", default_priority=3)
    expect((changed["name"], changed["description"], changed["defaultPriority"])
           == ("Attic", "", 3), f"what was changed: {changed}")
    client.delete_application(made["id"])
    expect(made["id"] not in [app["id"] for app in client.get_applications()], "it deleted")
    try:
        attic.create_message("again")
        expect(False, "the end of its token")
    except gotify.GotifyError:
        pass
    expect(client.get_version()["version"], "a version")
    expect(client.get_health()["health"] == "green", "that the store is well")
    client.delete_message(sent["id"])
    expect(all(m["id"] != sent["id"] for m in client.get_messages()["messages"]), "it deleted")


with_apprise()
with_files()
with_details()
with a_laptop() as laptop_says:
    with_ntfy(laptop_says)
asyncio.run(with_gotify())
print("Clients of other services are at home.")
