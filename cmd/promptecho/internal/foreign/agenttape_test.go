package foreign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// What follows writes cassettes as AgentTape does, whose emitter is its own: by its
// docs/format.md, and by what its yaml_io.py, assets.py and adapters/http.py do.

// agentAssets are the long texts, by the names of their files.
var agentAssets sync.Map

func readAgentAsset(name string) ([]byte, error) {
	data, ok := agentAssets.Load(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return data.([]byte), nil
}

var (
	agentPlain = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9 _./@+-]*$`)
	agentTyped = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|null|~|none|[+-]?\d+|[+-]?\d*\.\d+(?:e[+-]?\d+)?|[+-]?\d+e[+-]?\d+)$`)
)

// agentText writes a text; block is the column of a block of lines, which keys cannot be.
func agentText(s string, block int) string {
	switch {
	case block > 0 && agentInBlock(s):
		head := "|-"
		if strings.HasSuffix(s, "\n") {
			head = "|"
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
			head += "\n"
			if line != "" {
				head += strings.Repeat(" ", block) + line
			}
		}
		return head
	case block > 0 && strings.Contains(s, "\n"):
		out := `"`
		for _, r := range s {
			switch {
			case r == '\\' || r == '"':
				out += `\` + string(r)
			case r == '\n':
				out += `\n`
			case r == '\t':
				out += `\t`
			case r == '\r':
				out += `\r`
			case r < ' ':
				out += fmt.Sprintf(`\u%04x`, r)
			default:
				out += string(r)
			}
		}
		return out + `"`
	case agentPlain.MatchString(s) && !agentTyped.MatchString(s):
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// agentInBlock reports whether a text is written as a literal block.
func agentInBlock(s string) bool {
	if !strings.Contains(s, "\n") || strings.Contains(s, "\r") || strings.HasSuffix(s, "\n\n") || strings.HasPrefix(s, "\n") || strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\t") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimRight(line, " \t") != line {
			return false
		}
	}
	return true
}

// agentUnreadable reports whether AgentTape writes a text so that no reader of YAML gives it
// back: characters that must be escaped stand there as they are, and blanks at the end of a
// line without quotes.
func agentUnreadable(s string) bool {
	if strings.HasSuffix(s, " ") && agentPlain.MatchString(s) && len(s) <= 4096 {
		return true
	}
	escaped := strings.Contains(s, "\n") && !agentInBlock(s)
	return utf8.ValidString(s) && len(s) <= 4096 && strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && !escaped || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff
	})
}

// agentYAML writes a value at a column, behind a key or a dash.
func agentYAML(out *strings.Builder, v any, column int) {
	pad := strings.Repeat(" ", column)
	switch v := v.(type) {
	case string:
		if len(v) > 4096 {
			name := fmt.Sprintf("%x", sha256.Sum256([]byte(v)))
			agentAssets.Store("sha256-"+name, []byte(v))
			agentYAML(out, []pair{{agentAsset, "sha256:" + name}, {"encoding", "utf-8"}, {"size", len(v)}, {"preview", "x"}}, column)
			return
		}
		out.WriteString(" " + agentText(v, column) + "\n")
	case []pair:
		if len(v) == 0 {
			out.WriteString(" {}\n")
			return
		}
		out.WriteString("\n")
		for _, p := range v {
			out.WriteString(pad + agentText(p.key, 0) + ":")
			agentYAML(out, p.value, column+2)
		}
	case []any:
		if len(v) == 0 {
			out.WriteString(" []\n")
			return
		}
		out.WriteString("\n")
		for _, elem := range v {
			var item strings.Builder
			agentYAML(&item, elem, column+2)
			// The first member, and the first element of a list, stand behind the dash.
			out.WriteString(pad + "- " + strings.TrimLeft(item.String(), " \n"))
		}
	default: // numbers and the like, as Python writes them
		fmt.Fprintf(out, " %v\n", v)
	}
}

// pythonJSON returns what json.loads of Python makes of a text; ok is false if it is no JSON.
func pythonJSON(text []byte) (any, bool) {
	v, err := exactjson.Parse(text)
	if err != nil {
		return nil, false
	}
	ok := true
	var convert func(v *exactjson.Value) any
	convert = func(v *exactjson.Value) any {
		switch v.Kind {
		case exactjson.Object:
			list := []pair{}
			for i := range v.Elems {
				p := pair{v.Elems[i].Name, convert(&v.Elems[i])}
				if at := slices.IndexFunc(list, func(o pair) bool { return o.key == p.key }); at >= 0 {
					list[at] = p
				} else {
					list = append(list, p)
				}
				ok = ok && !agentUnreadable(p.key)
			}
			return list
		case exactjson.Array:
			list := []any{}
			for i := range v.Elems {
				list = append(list, convert(&v.Elems[i]))
			}
			return list
		case exactjson.String:
			ok = ok && !agentUnreadable(v.Text) && utf8.ValidString(v.Text)
			return v.Text
		case exactjson.Number:
			if !strings.ContainsAny(v.Text, ".eE") {
				return json.Number(v.Text)
			}
			f, _ := strconv.ParseFloat(v.Text, 64)
			return json.Number(pythonFloat(f))
		case exactjson.Bool:
			return v.Text == "true"
		}
		return json.Number("null")
	}
	converted := convert(&v)
	return converted, ok
}

// pythonFloat is repr of a float.
func pythonFloat(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	if s := strconv.FormatFloat(f, 'f', -1, 64); strings.Contains(s, ".") {
		return s
	} else {
		return s + ".0"
	}
}

// agentBody returns a body as the http adapter writes it.
func agentBody(body []byte, header http.Header) []pair {
	media, params, _ := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case len(body) == 0:
		return nil
	case media == "multipart/form-data":
		body = bytes.ReplaceAll(body, []byte(params["boundary"]), []byte("AGENTTAPE_BOUNDARY"))
	case media == "application/json":
		if v, ok := pythonJSON(body); ok {
			return []pair{{"json", v}}
		}
	case media == "application/x-www-form-urlencoded":
		form := []pair{}
		for field := range strings.SplitSeq(string(body), "&") {
			name, value, _ := strings.Cut(field, "=")
			name, err1 := url.QueryUnescape(name)
			value, err2 := url.QueryUnescape(value)
			if err1 != nil || err2 != nil {
				return []pair{{"text", string(body)}}
			}
			form = append(form, pair{name, value})
		}
		return []pair{{"form", form}}
	}
	if utf8.Valid(body) {
		return []pair{{"text", string(body)}}
	}
	return []pair{{"body_b64", base64.StdEncoding.EncodeToString(body)}}
}

func agentHeaders(header http.Header, dropped ...string) (list []pair) {
	list = []pair{}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if slices.Contains(dropped, strings.ToLower(name)) {
			continue
		}
		value := strings.Join(header[name], ", ")
		if _, params, err := mime.ParseMediaType(value); err == nil && params["boundary"] != "" {
			value = "multipart/form-data; boundary=AGENTTAPE_BOUNDARY"
		}
		list = append(list, pair{name, value})
	}
	return list
}

// writeAgentTape writes as AgentTape, what httpx sends.
func writeAgentTape(_ testing.TB, samples []*sample) string {
	list := []any{}
	for i, s := range samples {
		req := []pair{{"method", s.method}, {"url", s.url}, {"headers", agentHeaders(s.headers, "authorization", "x-api-key", "api-key", "cookie", "user-agent", "content-length", "host", "connection", "accept-encoding", "x-request-id", "idempotency-key", "x-stainless-arch", "x-stainless-os", "x-stainless-lang")}}
		resp := []pair{{"status_code", s.status}, {"headers", agentHeaders(s.respHeaders, "content-encoding", "content-length", "transfer-encoding")}, {"reason_phrase", "OK"}, {"http_version", "HTTP/1.1"}}
		list = append(list, []pair{
			{"index", i}, {"kind", "http"}, {"boundary", "h.example"},
			{"request", append(req, agentBody(s.body, s.headers)...)},
			{"response", append(resp, agentBody(s.answer, s.respHeaders)...)},
			{"match_key", "sha256:1ed923"}, {"latency_ms", 88.125},
		})
	}
	var out strings.Builder
	agentYAML(&out, []pair{{"version", "1"}, {"created_at", "2026-06-17T12:00:00.000000"}, {"run_id", "bee71bc9-33b8-431b-8012-00a753783931"},
		{"meta", []pair{{"agenttape_version", "0.1.5"}, {"mode", "record"}}}, {"interactions", list}}, 0)
	return strings.TrimPrefix(out.String(), "\n")
}

// agentSame reports whether a body says the same as the one that was sent, where AgentTape
// keeps what it says and not its bytes.
func agentSame(sent, got []byte, header http.Header) bool {
	if bytes.Equal(sent, got) {
		return true
	}
	media, params, _ := mime.ParseMediaType(header.Get("Content-Type"))
	switch media {
	case "multipart/form-data":
		return bytes.Equal(got, bytes.ReplaceAll(sent, []byte(params["boundary"]), []byte("AGENTTAPE_BOUNDARY")))
	case "application/x-www-form-urlencoded":
		a, err1 := url.ParseQuery(string(sent))
		b, err2 := url.ParseQuery(string(got))
		return err1 == nil && err2 == nil && reflect.DeepEqual(a, b)
	}
	var a, b any
	return json.Unmarshal(sent, &a) == nil && json.Unmarshal(got, &b) == nil && reflect.DeepEqual(a, b)
}

// agentFile is a cassette with these interactions.
func agentFile(interactions string) string {
	return "version: '1'\ncreated_at: '2026-06-17T12:00:00.000000'\nrun_id: bee71bc9\nmeta:\n  agenttape_version: 0.1.5\ninteractions:\n" + interactions
}

const agentTrip = `  - index: 0
    kind: llm
    boundary: llm
    request:
      endpoint: chat.completions
      model: gpt-x
      messages:
        - role: user
          content: 'What is the weather in Paris?'
      temperature: 0.0
      tools:
        - type: function
          function:
            name: get_weather
            parameters:
              type: object
    response:
      id: chatcmpl-1
      choices:
        - finish_reason: tool_calls
          index: 0
          logprobs: null
          message:
            content: null
            role: assistant
            tool_calls:
              - id: call_1
                function:
                  arguments: '{"city": "Paris"}'
                  name: get_weather
                type: function
      model: gpt-x
      usage:
        completion_tokens: 7
        prompt_tokens: 50
        total_tokens: 57
    match_key: 'sha256:1ed923'
    latency_ms: 1200.5
    usage:
      prompt_tokens: 50
  - index: 1
    kind: tool
    boundary: get_weather
    request:
      name: get_weather
      args:
        city: Paris
    response:
      temp: 15
      condition: rainy
    match_key: 'sha256:1ed924'
    latency_ms: 88.0
  - index: 2
    kind: tool
    boundary: charge_card
    request:
      name: charge_card
      args:
        amount: 4200
    error:
      type: TimeoutError
      module: builtins
      message: 'payment gateway timed out'
      repr: 'TimeoutError(''payment gateway timed out'')'
    match_key: 'sha256:1ed925'
`

// A program in Go that asks what a tape of AgentTape recorded gets its answers.
func TestAgentTapeReplays(t *testing.T) {
	t.Parallel()
	c, err := Read("trip.yaml", []byte(agentFile(agentTrip)), nil)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := c.Contents("trip.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "TestTrip.yaml")
	if err := contents.Save(file); err != nil {
		t.Fatal(err)
	}
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json", strings.NewReader(
		`{"messages":[{"role":"user","content":"What is the weather in Paris?"}],"model":"gpt-x","temperature":0,"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct {
			Message struct {
				ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Choices) != 1 || answer.Choices[0].Message.ToolCalls[0].Function.Arguments != `{"city": "Paris"}` {
		t.Errorf("status %d: %+v, %v", resp.StatusCode, answer, err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}

	type city struct {
		City string `json:"city"`
	}
	type weather struct {
		Temp      int    `json:"temp"`
		Condition string `json:"condition"`
	}
	get := promptecho.Wrap(rec, "tool/get_weather", func(context.Context, city) (weather, error) { return weather{}, errors.New("called") })
	if w, err := get(t.Context(), city{"Paris"}); err != nil || w != (weather{15, "rainy"}) {
		t.Errorf("the tool gives %v, %v", w, err)
	}
	type charge struct {
		Amount int `json:"amount"`
	}
	pay := promptecho.Wrap(rec, "tool/charge_card", func(context.Context, charge) (*struct{}, error) { return nil, nil })
	if _, err := pay(t.Context(), charge{4200}); err == nil || err.Error() != "payment gateway timed out" {
		t.Errorf("the tool that failed gives %v", err)
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}
