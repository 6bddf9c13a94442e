# Asks a web service, and prints each line of a stream as it arrives.
import requests

print(requests.post("https://api.example.com/echo", json={"a": 1}).text, flush=True)
for line in requests.get("https://api.example.com/events", stream=True).iter_lines():
    print(line, flush=True)
