"""Listens over WebSockets under TLS with clients of other services.

Usage: dialect_tls.py ADDRESS PUBLISH_TOKEN DEVICE_TOKEN CERTIFICATE
(the publish token is for the app nas; needs aiontfy and websockets)
"""

import asyncio
import json
import ssl
import sys

import aiohttp
import aiontfy
import websockets

address, publisher, device, certificate = sys.argv[1:]
trust = ssl.create_default_context(cafile=certificate)


async def main():
    events = asyncio.Queue()
    stream = address.replace("https:", "wss:") + f"/stream?token={device}"
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as session,
        websockets.connect(stream, ssl=trust) as gotify,
    ):
        subscribed = asyncio.ensure_future(aiontfy.Ntfy(address, session, token=device).subscribe(
            ["nas"], lambda told: events.put_nowait(told.to_dict())))
        opened = asyncio.ensure_future(events.get())
        # A subscription that fails says why.
        await asyncio.wait([subscribed, opened], return_when=asyncio.FIRST_COMPLETED)
        if subscribed.done():
            subscribed.result()
        assert opened.result()["event"] == "open", opened.result()
        await aiontfy.Ntfy(address, session, token=publisher).publish(
            aiontfy.Message(topic="nas", message="disk full"))
        told = await events.get()
        assert told["message"] == "disk full", told
        told = json.loads(await gotify.recv())
        assert told["message"] == "disk full", told
        subscribed.cancel()


asyncio.run(asyncio.wait_for(main(), timeout=60))
print("So they are under TLS.")
