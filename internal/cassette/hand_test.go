package cassette

var handEdited = []struct{ name, body, want string }{}

func cassetteOf(body string) string {
	return "version: 1\ninteractions:\n  - request:\n      method: POST\n      url: /\n      body: " + body + "\n    response:\n      status: 200\n"
}
