# Asks a web service, and prints each line of a stream as it arrives.
import urllib.request

for url in ["https://api.example.com/text", "http://api.example.com/text"]:
    with urllib.request.urlopen(url) as answer:
        print(answer.status, answer.read(), flush=True)
with urllib.request.urlopen("https://api.example.com/events") as answer:
    for line in answer:
        print(line, flush=True)
