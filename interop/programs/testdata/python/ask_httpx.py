# Asks a web service over HTTP/1.1 and HTTP/2, and prints each line of a stream as it arrives.
import asyncio
import httpx

print(httpx.post("https://api.example.com/echo", json={"a": 1}).text, flush=True)
with httpx.Client(http2=True) as client:
    with client.stream("GET", "https://api.example.com/events") as response:
        print(response.http_version)
        for line in response.iter_lines():
            print(line, flush=True)


async def ask():
    async with httpx.AsyncClient() as client:
        response = await client.get("https://api.example.com/text")
        print(response.text)


asyncio.run(ask())
