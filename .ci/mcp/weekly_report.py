"""Marks the weekly report as done through the official Python SDK, and looks again whether it is.

usage: weekly_report.py auto|legacy http URL TOKEN
       weekly_report.py auto|legacy stdio BRIDGE NAME
"""

import asyncio
import os
import sys

import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


async def call(client: Client, tool: str, **arguments) -> dict:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


async def work(client: Client) -> None:
    page = await call(client, "pling_describe")
    toggle = next(action for action in page["actions"] if action["description"].startswith("Mark the task as complete"))
    found = await call(client, "pling_search", query="weekly report")
    [report] = found["records"]
    assert report["fields"]["done"] is False, report

    arguments = {"record": report["id"], "checked": True}
    receipt = (await call(client, "pling_invoke", action=toggle["name"], arguments=arguments))["result"]
    assert receipt["ok"] is True and receipt["action"]["record"] == report["id"], receipt
    assert {"name": "done", "before": 0, "after": 1} in receipt["changed"]["state"], receipt

    # It is among those that are done, and among no others.
    for shown, is_there in (("open", False), ("done", True)):
        await call(client, "pling_invoke", action="set_filter", arguments={"choice": shown})
        text = (await call(client, "pling_describe"))["text"]
        record = f'"id":"{report["id"]}"'
        assert (record in text) == is_there, f"{shown}: {text}"
    assert f'{{{record},"label":"{report["label"]}","fields":{{"done":true' in text, text


async def main(mode: str, transport: str, target: str, secret_or_name: str) -> None:
    if transport == "http":
        headers = {"Authorization": f"Bearer {secret_or_name}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(target, http_client=http), mode=mode) as client:
                await work(client)
                version = client.protocol_version
    else:
        # The SDK hands on a few variables only.
        environment = {name: value for name, value in os.environ.items() if name == "PLING_RUN_DIR"}
        bridge = StdioServerParameters(command=target, args=[secret_or_name], env=environment)
        async with Client(stdio_client(bridge), mode=mode) as client:
            await work(client)
            version = client.protocol_version
    print(f"python, {transport}, {mode}: done, in revision {version}")


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 60))
