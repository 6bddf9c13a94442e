# test_capital.py: clients that read OPENAI_BASE_URL, such as OpenAI(), need no change.
import json, os, urllib.request

def ask(prompt):
    body = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": prompt}]}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]

def test_capital():
    assert "capital" in ask("What is the capital of France?")
