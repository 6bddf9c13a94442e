recorded = vcr.VCR(
    cassette_library_dir="tests/cassettes",
    record_mode="once",
    match_on=["method", "host", "path", "body"],
    filter_headers=["authorization"],
)

@recorded.use_cassette("translate.yaml")
def test_translate():
    client = openai.OpenAI(api_key=os.environ.get("OPENAI_API_KEY", "unused"))
    answer = client.chat.completions.create(
        model="gpt-5.4-mini",
        messages=[{"role": "user", "content": "Translate to French: rain"}],
    )
    assert answer.choices[0].message.content == "la pluie"
