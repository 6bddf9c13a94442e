package codec

import (
	"strings"
	"testing"
)

// minimal is a cassette without a fault; broken ones are made from it.
const minimal = `version: 1
interactions:
  - kind: llm
    request:
      method: POST
      url: /
      body: x
    response:
      status: 200
`

// edit returns minimal with old replaced.
func edit(old, new string) string {
	if !strings.Contains(minimal, old) {
		panic("not in minimal: " + old)
	}
	return strings.Replace(minimal, old, new, 1)
}

func body(b string) string     { return edit("x\n", b+"\n") }
func response(r string) string { return edit("status: 200\n", "status: 200\n"+r+"\n") }

var broken = []struct{ name, text, want string }{
	{"empty", "", `1:1: the file is empty; restore it: git checkout -- x.yaml, or delete it and record again`},
	{"only comments", "# x\n\n# y", `3:4: the file is empty; restore it: git checkout -- x.yaml, or delete it and record again`},
	{"only a marker", "---\n", `2:1: the file is empty; restore it: git checkout -- x.yaml, or delete it and record again`},
	{"directive", "%YAML 1.2\n---\n" + minimal, `1:1: a cassette has no directives; delete this line`},
	{"two documents", minimal + "---\n" + minimal, `10:1: a second document starts here; a cassette is one document`},
	{"text after the end", minimal + "...\nx", `11:1: want the end of the file, found "x"; check the indentation`},
	{"text after the document", minimal + "- x\n", `10:1: want "key: value", found "- x"`},
	{"a list", "- a\n", `1:1: want a cassette ("version: 1" and "interactions:"), found a list`},
	{"a text", "hello\n", `1:1: want a cassette ("version: 1" and "interactions:"), found the text "hello"`},
	{"a marker with text", "--- a\n", `1:5: unexpected "a" after the value; put the whole value in quotes`},
	{"invalid UTF-8", body("\xff"), `7:13: invalid UTF-8; binary text is written as !!binary "base64"`},
	{"NUL", body("a\x00b"), `7:14: control character U+0000; write it as "\u0000" in double quotes`},
	{"C1", body("a\u009fb"), `7:14: control character U+009F; write it as "\u009f" in double quotes`},
	{"carriage return", body("a\rb"), `7:14: a carriage return inside a line; write it as "\r" in double quotes`},
	{"byte order mark", body("a\ufeffb"), `7:14: a byte order mark inside the file; write it as "\ufeff" in double quotes, or delete it`},
	{"line separator", body("a\u2028b"), `7:14: U+2028, which only some readers take for a line break; write it as "\u2028" in double quotes`},
	{"noncharacter", body("a\uffff"), `7:14: control character U+FFFF; write it as "\uffff" in double quotes`},
	{"LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n", `1:1: this is a pointer of Git LFS and not the file; to fetch the file: git lfs pull (with GitHub's actions/checkout: "lfs: true")`},
	{"conflict", "version: 1\n<<<<<<< HEAD\n" + minimal, `2:1: a merge conflict ("<<<<<<<"): promptecho merge x.yaml merges the two sides; running its test with PROMPTECHO_MODE=update does, too, and records what neither side has`},
	{"conflict, middle", body("'\n=======\n'"), `8:1: a merge conflict ("======="): promptecho merge x.yaml merges the two sides; running its test with PROMPTECHO_MODE=update does, too, and records what neither side has`},
	{"conflict, end", minimal + ">>>>>>> branch\n", `10:1: a merge conflict (">>>>>>>"): promptecho merge x.yaml merges the two sides; running its test with PROMPTECHO_MODE=update does, too, and records what neither side has`},
	{"no version", edit("version: 1\n", ""), `1:1: version: is missing; a cassette starts with "version: 1"`},
	{"version 2", edit("version: 1", "version: 2"), `1:10: version: this is version 2, and this promptecho reads version 1; update promptecho: go get github.com/promptecho/promptecho@latest, or record again`},
	{"version 0", edit("version: 1", "version: 0"), `1:10: version: want an integer, 1 or more, found 0`},
	{"version text", edit("version: 1", `version: "1"`), `1:10: version: want an integer, 1 or more, found the text "1"`},
	{"no interactions", "version: 1\n", `1:1: interactions: is missing; write "interactions: []" if there are none`},
	{"empty interactions", "version: 1\ninteractions:\n", `2:14: interactions: want a list of interactions, found nothing`},
	{"interactions as a mapping", "version: 1\ninteractions: {}\n", `2:15: interactions: want a list of interactions, found a mapping`},
	{"unknown key", edit("kind:", "knid:"), `3:5: interaction: unknown key "knid"; known are kind, boundary, within, name, again, accepted, fake, recorded, request, response, usage, latency_ms, concurrent, new, times. If a newer promptecho wrote it, update promptecho: go get github.com/promptecho/promptecho@latest`},
	{"unknown key at the top", "verzion: 1\n" + minimal, `1:1: unknown key "verzion"; known are version, pinned, partial, options, time, seed, env, interactions, seals. If a newer promptecho wrote it, update promptecho: go get github.com/promptecho/promptecho@latest`},
	{"two known keys as one", edit("kind:", `"request, response":`), `3:5: interaction: unknown key "request, response"; known are kind, boundary, within, name, again, accepted, fake, recorded, request, response, usage, latency_ms, concurrent, new, times. If a newer promptecho wrote it, update promptecho: go get github.com/promptecho/promptecho@latest`},
	{"duplicate key", edit("kind: llm\n", "kind: llm\n    kind: llm\n"), `4:5: key "kind" is already in line 3; remove one of them`},
	{"duplicate key in a body", body("{a: 1, 'a': 2}"), `7:20: key "a" is already in line 7; remove one of them`},
	{"duplicate key among many", body("{a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, c: 10}"), `7:68: key "c" is already in line 7; remove one of them`},
	{"duplicate key with a tag", body("{a: 1, !!str a: 2}"), `7:20: key "a" is already in line 7; remove one of them`},
	{"duplicate key in base64", response("      headers: {a: b, !!binary YQ==: c}"), `10:23: key "a" is already in line 10; remove one of them`},
	{"no request", "version: 1\ninteractions:\n  - response: {status: 200}\n", `3:5: request: is missing; restore it, or record again`},
	{"no response", "version: 1\ninteractions:\n  - request: {method: GET, url: /}\n", `3:5: response: is missing; restore it, or record again`},
	{"no method", edit("      method: POST\n", ""), `5:7: request.method: is missing; restore it, or record again`},
	{"no url", edit("      url: /\n", ""), `5:7: request.url: is missing; restore it, or record again`},
	{"empty url", edit("url: /", `url: ""`), `5:7: request.url: is missing; restore it, or record again`},
	{"no status", edit("      status: 200\n", "      proto: HTTP/2.0\n"), `9:7: response.status: is missing; restore it, or record again`},
	{"status text", edit("status: 200", `status: "200"`), `9:15: response.status: want an integer, 0 or more, found the text "200"`},
	{"status float", edit("status: 200", `status: 200.0`), `9:15: response.status: want an integer, 0 or more, found 200.0`},
	{"status too large", edit("status: 200", `status: 2000`), `9:15: response.status: want a status (100 to 999), found 2000`},
	{"status negative", edit("status: 200", `status: -1`), `9:15: response.status: want an integer, 0 or more, found -1`},
	{"response null", edit("response:\n      status: 200", "response:"), `8:14: response: want a mapping with the keys status, status_line, proto, transfer, headers, trailers, stream, events_layout, events, events_padding, chunks, delays_ms, layout, body, body_base64, body_file, end, error, found nothing`},
	{"request list", edit("request:\n      method: POST\n      url: /\n      body: x", "request: [a]"), `4:14: request: want a mapping with the keys method, url, headers, unknown_headers, layout, body, body_base64, body_file, form, found a list`},
	{"pinned yes", "pinned: yes\n" + minimal, `1:9: pinned: want true or false, found the text "yes"`},
	{"time of another form", "time: 2026-11-22 15:30\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found the text "2026-11-22 15:30"`},
	{"time in parts of seconds", "time: 2026-11-22T15:30:12.5Z\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found the text "2026-11-22T15:30:12.5Z"`},
	{"time without a zone", "time: \"2026-11-22T15:30:12\"\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found the text "2026-11-22T15:30:12"`},
	{"time that there is not", "time: 2026-02-30T00:00:00Z\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found the text "2026-02-30T00:00:00Z"`},
	{"time as a number", "time: 1795361412\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found 1795361412`},
	{"time of no year", "time: 0001-01-01T00:00:00Z\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found the text "0001-01-01T00:00:00Z"`},
	{"time beyond years", "time: 9999-12-31T23:59:59-01:00\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found the text "9999-12-31T23:59:59-01:00"`},
	{"time nothing", "time:\n" + minimal, `1:6: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found nothing`},
	{"time list", "time: [2026-11-22T15:30:12Z]\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found a list`},
	{"time binary", "time: !!binary YQ==\n" + minimal, `1:7: time: want a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339), found !!binary "YQ=="`},
	{"seed too short", "seed: 5f0c\n" + minimal, `1:7: seed: want 32 hexadecimal digits, found the text "5f0c"`},
	{"seed too long", "seed: " + strings.Repeat("5f", 17) + "\n" + minimal, `1:7: seed: want 32 hexadecimal digits, found the text "5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f"`},
	{"seed of letters", "seed: " + strings.Repeat("xy", 16) + "\n" + minimal, `1:7: seed: want 32 hexadecimal digits, found the text "xyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxy"`},
	{"seed mapping", "seed: {a: b}\n" + minimal, `1:7: seed: want 32 hexadecimal digits, found a mapping`},
	{"env list", "env: [MODEL=a]\n" + minimal, `1:6: env: want a mapping of names to values, found a list`},
	{"env nothing", "env:\n" + minimal, `1:5: env: want a mapping of names to values, found nothing`},
	{"env value list", "env: {MODEL: [a]}\n" + minimal, `1:14: env: want text (in quotes if it looks like something else), found a list`},
	{"env value nothing", "env: {MODEL: }\n" + minimal, `1:14: env: want text (in quotes if it looks like something else), found nothing`},
	{"env value doubtful", "env: {MODEL: 0x1f}\n" + minimal, `1:14: env: YAML does not read "0x1f" as text; put it in quotes if it is text, else write it as JSON does`},
	{"env key number", "env: {1: a}\n" + minimal, `1:7: env: the key 1 is not text; put it in quotes`},
	{"env twice", "env: {MODEL: a}\nenv: {REGION: b}\n" + minimal, `2:1: key "env" is already in line 1; remove one of them`},
	{"env variable twice", "env: {MODEL: a, MODEL: b}\n" + minimal, `1:17: key "MODEL" is already in line 1; remove one of them`},
	{"kind number", edit("kind: llm", "kind: 12"), `3:11: kind: want text (in quotes if it looks like something else), found 12`},
	{"kind null", edit("kind: llm", "kind:"), `3:10: kind: want text (in quotes if it looks like something else), found nothing`},
	{"kind list", edit("kind: llm", "kind: [a]"), `3:11: kind: want text (in quotes if it looks like something else), found a list`},
	{"kind asset", edit("kind: llm", "kind: !asset x"), `3:11: kind: want text (in quotes if it looks like something else), found !asset "x"`},
	{"latency", edit("kind: llm", "latency_ms: 1.5"), `3:17: latency_ms: want a 64-bit integer, found 1.5`},
	{"latency beyond 64 bits", edit("kind: llm", "latency_ms: 9223372036854775808"), `3:17: latency_ms: want a 64-bit integer, found 9223372036854775808`},
	{"usage", edit("kind: llm", "usage: {input_tokens: a}"), `3:27: usage.input_tokens: want a 64-bit integer, found the text "a"`},
	{"usage key", edit("kind: llm", "usage: {tokens: 1}"), `3:13: usage: unknown key "tokens"; known are input_tokens, output_tokens, cached_tokens, reasoning_tokens. If a newer promptecho wrote it, update promptecho: go get github.com/promptecho/promptecho@latest`},
	{"headers list", response("      headers: [a]"), `10:16: response.headers: want a mapping of names to values, found a list`},
	{"header null", response("      headers: {a: }"), `10:20: response.headers: want text (in quotes if it looks like something else), found nothing`},
	{"header mapping", response("      headers: {a: {b: c}}"), `10:20: response.headers: want text (in quotes if it looks like something else), found a mapping`},
	{"header key number", response("      headers: {1: b}"), `10:17: response.headers: the key 1 is not text; put it in quotes`},
	{"end", response("      end: eof"), `10:12: response.end: want closed, error or canceled (leave it out if nothing is unusual), found the text "eof"`},
	{"body and base64", body("x\n      body_base64: YQ=="), `8:20: request: more than one of body, body_base64 and body_file; keep one`},
	{"body number", body("12"), `7:13: request.body: want a mapping or a list (JSON), or text (in quotes if it looks like something else), found 12`},
	{"body null", body(""), `7:12: request.body: want a mapping or a list (JSON), or text (in quotes if it looks like something else), found nothing`},
	{"body bool", body("true"), `7:13: request.body: want a mapping or a list (JSON), or text (in quotes if it looks like something else), found true`},
	{"body base64 broken", edit("body: x", "body_base64: YQ="), `7:20: request.body_base64: invalid base64 (illegal base64 data at input byte 3); restore it, or record again`},
	{"body base64 list", edit("body: x", "body_base64: [a]"), `7:20: request.body_base64: want text (in quotes if it looks like something else), found a list`},
	{"body base64 tagged", edit("body: x", "body_base64: !!binary YQ=="), `7:20: request.body_base64: want base64, found !!binary "YQ=="`},
	{"body file number", edit("body: x", "body_file: 1"), `7:18: request.body_file: want text (in quotes if it looks like something else), found 1`},
	{"layout of text", body("x\n      layout: {indent: 2}"), `8:15: request.layout: a layout is for a body that is a mapping or a list; remove it`},
	{"layout without body", edit("body: x", "layout: {indent: 2}"), `7:15: request.layout: a layout is for a body that is a mapping or a list; remove it`},
	{"layout key", body("{}\n      layout: {indnet: 2}"), `8:16: request.layout: unknown key "indnet"; known are before, indent, space, padding, escape, after. If a newer promptecho wrote it, update promptecho: go get github.com/promptecho/promptecho@latest`},
	{"layout indent", body("{}\n      layout: {indent: 17}"), `8:24: request.layout.indent: want a number of spaces (1 to 16), tab, or white space in quotes, found 17`},
	{"layout indent zero", body("{}\n      layout: {indent: 0}"), `8:24: request.layout.indent: want a number of spaces (1 to 16), tab, or white space in quotes, found 0`},
	{"layout indent text", body("{}\n      layout: {indent: 'ab'}"), `8:24: request.layout.indent: want white space in quotes, found the text "ab"`},
	{"layout after", body("{}\n      layout: {after: 'x'}"), `8:23: request.layout.after: want white space in quotes, found the text "x"`},
	{"layout space", body("{}\n      layout: {space: all}"), `8:23: request.layout.space: want one of the words both, colon and comma, found the text "all"`},
	{"layout space and indent", body("{}\n      layout: {space: both, indent: 2}"), `8:15: request.layout: space and padding are for JSON on one line; remove these, or remove the key indent`},
	{"layout escape", body("{}\n      layout: {escape: [utf8]}"), `8:25: request.layout.escape: want any of ascii, upper, html, separators, gson, slash, delete, long, found the text "utf8"`},
	{"layout escape text", body("{}\n      layout: {escape: html}"), `8:24: request.layout.escape: want a list of ascii, upper, html, separators, gson, slash, delete, long, found the text "html"`},
	{"layout padding", body("{}\n      layout: {padding: 1000000}"), `8:25: request.layout.padding: want a number of spaces, 128 at most, found 1000000`},
	{"key number in a body", body("{1: a}"), `7:14: request.body: the key 1 is not text; put it in quotes`},
	{"key null in a body", body("{null: a}"), `7:14: request.body: the key null is not text; put it in quotes`},
	{"key binary in a body", body("{!!binary 'YQ==': a}"), `7:14: request.body: a JSON name cannot be binary`},
	{"key asset in a body", body("{!asset 'YQ==': a}"), `7:14: request.body: the key YQ== is not text; put it in quotes`},
	{"text binary in a body", body("{a: !!binary 'YQ=='}"), `7:17: request.body: a JSON text cannot be binary`},
	{"tag on a list", body("{a: !!str []}"), `7:17: request.body: the tag !!str is for text`},
	{"asset without @", body("{a: !asset b}"), `7:17: request.body: invalid asset "b"; want "@" and the asset's name`},
	{"doubtful null", body("{a: ~}"), `7:17: request.body: YAML does not read "~" as text; put it in quotes if it is text, else write it as JSON does`},
	{"doubtful bool", body("{a: True}"), `7:17: request.body: YAML does not read "True" as text; put it in quotes if it is text, else write it as JSON does`},
	{"doubtful number", body("{a: 012}"), `7:17: request.body: YAML does not read "012" as text; put it in quotes if it is text, else write it as JSON does`},
	{"doubtful hex", body("{a: 0xdeadbeefdeadbeefdeadbeef}"), `7:17: request.body: YAML does not read "0xdeadbeefdeadbeefdeadbeef" as text; put it in quotes if it is text, else write it as JSON does`},
	{"doubtful float", body("{a: .5}"), `7:17: request.body: YAML does not read ".5" as text; put it in quotes if it is text, else write it as JSON does`},
	{"doubtful infinity", body("{a: -.inf}"), `7:17: request.body: YAML does not read "-.inf" as text; put it in quotes if it is text, else write it as JSON does`},
	{"doubtful plus", body("{a: +1}"), `7:17: request.body: YAML does not read "+1" as text; put it in quotes if it is text, else write it as JSON does`},
	{"doubtful huge number", body("{a: +1e999}"), `7:17: request.body: YAML does not read "+1e999" as text; put it in quotes if it is text, else write it as JSON does`},
	{"events without a stream", response("      events: []"), `10:15: response.events: events without a stream; name the framing ("stream: sse")`},
	{"body beside a stream", response("      stream: sse\n      body: x"), `11:13: response: both a body and stream "sse"; a stream's body is its events`},
	{"events layout without events", response("      stream: sse\n      events_layout: {}"), `11:22: response: a layout or padding without events; remove it`},
	{"padding in the events layout", response("      stream: sse\n      events: []\n      events_layout: {padding: 1}"), `12:22: response.events_layout: padding is in events_padding, one per event; move it there`},
	{"padding of indented events", response("      stream: sse\n      events: []\n      events_layout: {indent: 1}\n      events_padding: [1]"), `13:23: response.events_padding: padding is for JSON on one line; remove it, or remove the key indent`},
	{"padding text", response("      stream: sse\n      events: []\n      events_padding: [a]"), `12:24: response.events_padding: want an integer, 0 or more, found the text "a"`},
	{"event text", response("      stream: sse\n      events: [a]"), `11:16: response.events: want a mapping of fields, or a list of mappings of one field each, found the text "a"`},
	{"event null", response("      stream: sse\n      events: [{a: null}]"), `11:20: response.events: want text (in quotes if it looks like something else), found null`},
	{"event with a list of two", response("      stream: sse\n      events: [[{a: b, c: d}]]"), `11:17: response.events: want a mapping of one field, found a mapping`},
	{"event with a list of text", response("      stream: sse\n      events: [[a]]"), `11:17: response.events: want a mapping of one field, found the text "a"`},
	{"delay without its pieces", response("      stream: sse\n      delays_ms: [5~1]"), `11:19: response.delays_ms: want milliseconds only (13), or MS~BYTES+MS as promptecho wrote it: 13~1+2 is an event in two pieces: all but its last byte after 13 ms, and that byte 2 ms later; BYTES is how many bytes of the event are still to come, so it is smaller in each further ~BYTES+MS, found the text "5~1"`},
	{"delay with pieces that grow", response("      stream: sse\n      delays_ms: [5~1+0~2+0]"), `11:19: response.delays_ms: want milliseconds only (13), or MS~BYTES+MS as promptecho wrote it: 13~1+2 is an event in two pieces: all but its last byte after 13 ms, and that byte 2 ms later; BYTES is how many bytes of the event are still to come, so it is smaller in each further ~BYTES+MS, found the text "5~1+0~2+0"`},
	{"delay with pieces of none", response("      stream: sse\n      delays_ms: [-5~1+0]"), `11:19: response.delays_ms: want whole milliseconds in front of the first ~ (13~1+2), or a + if the event came together with the one before it (+~1+2), found the text "-5~1+0"`},
	{"delay negative", response("      stream: sse\n      delays_ms: [1, -1]"), `11:22: response.delays_ms: want an integer, 0 or more, found -1`},
	{"delay float", response("      stream: sse\n      delays_ms: [1.5]"), `11:19: response.delays_ms: want an integer, 0 or more, found 1.5`},
	{"delay quoted plus", response("      stream: sse\n      delays_ms: [\"+\"]"), `11:19: response.delays_ms: want an integer, 0 or more, found the text "+"`},
	{"chunks of a stream", response("      stream: sse\n      chunks: [1]"), `11:15: response.chunks: only a body that is not a stream has chunks; remove them`},
	{"chunks of nothing", response("      chunks: [1]"), `10:15: response.chunks: only a body that is not a stream has chunks; remove them`},
	{"chunk of nothing", response("      body: x\n      chunks: [1, 0]"), `11:19: response.chunks: a chunk must have 1 byte or more, and less than 1 TB`},
	{"chunk negative", response("      body: x\n      chunks: [-1]"), `11:16: response.chunks: want an integer, 0 or more, found -1`},
	{"chunks text", response("      body: x\n      chunks: 1"), `11:15: response.chunks: want a list of lengths in bytes, found 1`},
	{"delays text", response("      stream: sse\n      delays_ms: 5"), `11:18: response.delays_ms: want a list of delays, found 5`},
	{"alias without anchor", body("*a"), `7:13: no value above has the anchor &a; write the value out, or restore the value with the anchor`},
	{"alias above its anchor", body("\n        x: *a\n        y: &a\n          z: 1"), `8:12: no value above has the anchor &a (line 9 has it: move that value above this line); write the value out, or restore the value with the anchor`},
	{"anchor twice", body("[&a x, &a y]"), `7:20: the anchor &a is in line 7 already; write *a in place of this value, or give it another name`},
	{"cycle", body("&a [1, *a]"), `7:20: the alias *a is inside the value that it refers to; write something else there`},
	{"bomb", body("[&a [x, x, x, x, x, x, x, x, x, x, x], &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a], &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b], &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c], &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d], &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e], &g [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]]"), `7:240: the aliases up to here expand to more than 36 MB, far more than this file has; write fewer of them`},
	{"anchor of a key", body("\n        &a x: 1"), `8:9: a key cannot have an anchor; start the mapping on the line below &a`},
	{"anchor of an element's key", body("\n        - &a x: 1"), `8:11: a key cannot have an anchor; start the mapping on the line below &a`},
	{"anchor of a later key", body("\n        y: 1\n        &a x: 1"), `9:9: an anchor or an alias cannot be here ("&a x: 1"); write the value out, or put text in quotes`},
	{"alias as a key", body("\n        y: &a x\n        *a : 1"), `9:9: an anchor or an alias cannot be here ("*a : 1"); write the value out, or put text in quotes`},
	{"alias with a tag", body("[&a x, !!str *a]"), `7:20: an alias cannot have a tag or an anchor; its value has them`},
	{"anchor without a name", body("[& x]"), `7:14: an anchor or an alias without a name; put text in quotes`},
	{"anchor of other letters", body("[&a.b x]"), `7:14: the name of an anchor consists of ASCII letters, digits, - and _, found "&a.b x]"; put text in quotes`},
	{"merge key", body("{<<: {a: b}}"), `7:14: merge keys ("<<") are not supported; write the members out`},
	{"merge key in block", body("\n        <<: a"), `8:9: merge keys ("<<") are not supported; write the members out`},
	{"explicit key", body("\n        ? a\n        : b"), `8:9: explicit keys ("? ") are not supported; write "key: value"`},
	{"explicit key, second", body("\n        a: b\n        ? c\n        : d"), `9:9: explicit keys ("? ") are not supported; write "key: value"`},
	{"explicit key in flow", body("{? a : b}"), `7:14: explicit keys ("? ") are not supported; write "key: value"`},
	{"unknown tag", body("!!set {a}"), `7:13: unknown tag "!!set"; a cassette has !asset, !numbers, !!binary and !!str`},
	{"two tags", body("!!str !!str a"), `7:19: a value can have only one tag`},
	{"tag on a block list", body("\n        !!str - a"), `8:9: a list has no tag; !!str is for text`},
	{"tab in the indentation", edit("      url", "\turl"), `6:1: a tab in the indentation; indent with spaces`},
	{"tab after a dash", body("\n        -\ta"), `8:10: a tab after "-"; use a space`},
	{"tab before a key", body("\n        - \ta: b"), `8:11: a tab in the indentation; indent with spaces`},
	{"indentation too deep", edit("      url", "        url"), `6:12: text over several lines has ": " in it; put it in quotes, or check the indentation`},
	{"indentation too little", edit("      url", "     url"), `6:6: the indentation fits no line above; want 4 spaces`},
	{"indentation of a list", body("\n        - a\n          - b"), `9:11: a list element inside text; put the text in quotes, or indent the list like its key`},
	{"indentation after a list", body("\n        - [a]\n         b: c"), `9:10: the indentation fits no line above: want 8 spaces (for the next element), or as many as the lines of the element above have (to continue it)`},
	{"no colon", edit("url: /", "url /"), `6:7: want "key: value", found "url /"`},
	{"no colon, first", edit("method: POST", "method POST"), `6:10: text over several lines has ": " in it; put it in quotes, or check the indentation`},
	{"no space after the colon", edit("url: /", "url:/"), `6:7: want "key: value", found "url:/"`},
	{"no space after a quoted key", body("\n        'a':b"), `8:12: unexpected ":b" after the value; put the whole value in quotes`},
	{"missing key", body("\n        : b"), `8:9: a key is missing before ":"`},
	{"mapping in a value", body("a: b"), `7:13: a mapping cannot start here; quote text that has ": " in it`},
	{"mapping in a quoted value", body("'a': b"), `7:13: a mapping cannot start here; quote text that has ": " in it`},
	{"mapping in text over lines", body("a\n        b: c"), `8:10: text over several lines has ": " in it; put it in quotes, or check the indentation`},
	{"list in a value", body("- a"), `7:13: a list cannot start on the line of its key; start it on the next line`},
	{"list in text over lines", body("a\n        - b"), `8:9: a list element inside text; put the text in quotes, or indent the list like its key`},
	{"list as a key", body("\n        [a]: b"), `8:9: a collection cannot be a key; keys are text`},
	{"list as a key in flow", body("{[a]: b}"), `7:14: a collection cannot be a key; keys are text`},
	{"key over lines", body("\n        'a\n         b': c"), `8:9: a key must not run over lines`},
	{"key over lines, second", body("\n        c: d\n        'a\n         b': c"), `9:9: want "key: value", found "'a"`},
	{"key over lines in flow", body("{'a\n         b': c}"), `7:14: a key must not run over lines`},
	{"text after quotes", body("'a' b"), `7:17: unexpected "b" after the value; put the whole value in quotes`},
	{"text after brackets", body("[a] b"), `7:17: unexpected "b" after the value; put the whole value in quotes`},
	{"quote without end", body(`"a`), `7:13: a quote ('"') without its end`},
	{"quote without end, single", body(`'a`), `7:13: a quote ('\'') without its end`},
	{"quote over a marker", body("'a\n---\n'"), `8:1: a document marker inside quotes; is a quote missing above?`},
	{"invalid escape", body(`"\q"`), `7:14: invalid escape "\\q" in double quotes; a backslash is written \\`},
	{"invalid hex escape", body(`"\xg0"`), `7:14: invalid escape "\\xg0" in double quotes; a backslash is written \\`},
	{"lone surrogate", body(`"\ud800"`), `7:14: escape of a lone surrogate "\\ud800" in double quotes; a backslash is written \\`},
	{"escape beyond Unicode", body(`"\UFFFFFFFF"`), `7:14: invalid escape "\\UFFFFFFFF" in double quotes; a backslash is written \\`},
	{"reserved character", body("@a"), `7:13: text cannot start with '@'; put it in quotes`},
	{"percent", body("%a"), `7:13: text cannot start with '%'; put it in quotes`},
	{"comma", body(", a"), `7:13: text cannot start with ','; put it in quotes`},
	{"dash", body("[-]"), `7:14: text cannot start with '-' here; put it in quotes`},
	{"question mark in flow", body("[?a]"), `7:14: text cannot start with '?' here; put it in quotes`},
	{"bracket without end", body("[a, b"), `7:17: text in brackets must end on its line; put it in quotes, or close the bracket`},
	{"brace without end", body("{a: [b}"), `7:19: want ',' or ']', found "}"; put text with such characters in quotes`},
	{"wrong bracket", body("{a: b]"), `7:18: want ',' or '}', found "]"; put text with such characters in quotes`},
	{"brackets over a marker", body("[\n---\n]"), `8:1: a document marker inside brackets; is a bracket missing above?`},
	{"no comma", body(`["a" "b"]`), `7:18: want ',' or ']', found "\"b\"]"; put text with such characters in quotes`},
	{"two commas", body(`[a,, b]`), `7:16: text cannot start with ','; put it in quotes`},
	{"key in a list", body(`[a: b]`), `7:15: a key inside a list; write {key: value}, or put the text in quotes`},
	{"key without a value", body(`{a, b}`), `7:15: want ':' and a space after the key "a"`},
	{"key without a space", body(`{a:b}`), `7:17: want ':' and a space after the key "a:b"`},
	{"text over lines in flow", body("[a\n        b]"), `7:14: text in brackets must end on its line; put it in quotes, or close the bracket`},
	{"block header", body("|x"), `7:14: want -, + or a digit after | or >, found "x"; start the text on the next line, or put it in quotes`},
	{"block header with text", body("| x"), `7:15: unexpected "x" after the value; put the whole value in quotes`},
	{"block header at the end", "version: |", `1:10: the file ends inside a text; restore it, or write ""`},
	{"block text cut", strings.TrimSuffix(body("|\n        x"), "\n    response:\n      status: 200\n"), `8:10: the file ends inside a text, without a line end; add one, or write |- if the text has none`},
	{"block text after wider blanks", body("|\n            \n        x"), `8:1: a blank line with more spaces than the text below it; remove its spaces`},
	{"nested too deep", body(strings.Repeat("[", 1100)), `7:1025: nested deeper than 1016`},
	{"nested too deep in block", body("\n        " + strings.Repeat("- ", 1100)), `8:2033: nested deeper than 1016`},
}

// A mistake in a cassette is refused with its line, its column and the field or reason.
func TestBroken(t *testing.T) {
	t.Parallel()
	if _, err := Parse("x.yaml", minimal, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range broken {
		f, err := Parse("x.yaml", Normalize([]byte(test.text)), nil)
		if err == nil {
			t.Errorf("%s: accepted", test.name)
			continue
		}
		if got := err.Error(); got != "x.yaml:"+test.want || f != nil {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.TrimPrefix(got, "x.yaml:"), test.want)
		}
		if err.File != "x.yaml" || err.Line < 1 || err.Column < 1 || err.Msg == "" {
			t.Errorf("%s: %#v", test.name, err)
		}
	}
}

// Recording anew is no way out for a cassette that is fine, and is only somewhere else.
func TestBrokenElsewhere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"version https://git-lfs.github.com/spec/v1\n": false,
		edit("version: 1", "version: 2"):               false,
		edit("version: 1", "version: 0"):               true,
		"":                                             true,
	} {
		_, err := Parse("x.yaml", text, nil)
		if err == nil {
			t.Fatalf("%q: no error", text)
		}
		if file, ours := err.Broken(); file != "x.yaml" || ours != want {
			t.Errorf("%q: %s, %v, want %v", text, file, ours, want)
		}
	}
}
