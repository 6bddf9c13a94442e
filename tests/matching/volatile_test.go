package matching_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// TestAnewIsNoted: what clients draw for each request does not match, and a note says so.
// Tools and results in another order match with a note, and so does the run that records both.
func TestAnewIsNoted(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"id":"1"}`) }))
	defer srv.Close()
	tools := func(a, b string) string {
		return `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"` + a + `"}},{"type":"function","function":{"name":"` + b + `"}}]}`
	}
	const a, b = "9022bbce-7872-4001-991b-d872b93f257d", "886e8f9c-3938-4bc9-97ab-1dc34af93226"
	for _, tt := range []struct{ path, recorded, asked, note string }{
		{"/async", `{"in":{"clientToken":"` + a + `"}}`, `{"in":{"clientToken":"` + b + `"}}`, `replayed although in/clientToken differs: clients make a new one for each request, so matching ignores it (add promptecho.Match("in/clientToken") to compare it)`},
		{"/queries", `{"query":"q","requestId":"` + a + `"}`, `{"query":"q","requestId":"` + b + `"}`, `although requestId differs`},
		{"/", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"` + a + `"}}}`, `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"` + b + `"}}}`, `although params/message/messageId differs`},
		{"/v1/chat/completions", tools("a", "b"), tools("b", "a"), `(add promptecho.Match("tools/order") to compare it)`},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		var notes []string
		log := promptecho.Log(func(note string) { notes = append(notes, note) })
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), log)
		must.Post(t, r, srv.URL+tt.path, tt.recorded)
		must.Close(t, r)
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), log)
		if status, body := must.Post(t, r, srv.URL+tt.path, tt.asked); status != 200 {
			t.Errorf("%s: %d %s", tt.path, status, body)
		}
		must.Close(t, r)
		if !strings.Contains(strings.Join(notes, "\n"), tt.note) {
			t.Errorf("%s: no note of %q:\n%s", tt.path, tt.note, strings.Join(notes, "\n"))
		}
	}
	var notes []string
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Log(func(note string) { notes = append(notes, note) }))
	must.Post(t, r, srv.URL+"/v1/chat/completions", tools("a", "b"))
	must.Post(t, r, srv.URL+"/v1/chat/completions", strings.Replace(tools("b", "a"), "hi", "and now?", 1))
	must.Close(t, r)
	if want := `tools/order is "a, b" in one recording and "b, a" in another: the program most likely ranges over a map`; !strings.Contains(strings.Join(notes, "\n"), want) {
		t.Errorf("no note of the two orders:\n%s", strings.Join(notes, "\n"))
	}
}

// TestPushTokenIsSecret: the token by which an agent proves who it is stands in no cassette.
func TestPushTokenIsSecret(t *testing.T) {
	t.Parallel()
	const config = `{"url":"https://me.example/hook","token":"push4me","authentication":{"schemes":["Bearer"],"credentials":"cred4me"}}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"taskId":"t","pushNotificationConfig":`+config+`}}`)
	}))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Post(t, r, srv.URL, `{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"t","pushNotificationConfig":`+config+`}}`)
	must.Post(t, r, srv.URL, `{"jsonrpc":"2.0","id":2,"method":"message/send","params":{"message":{"messageId":"m"},"configuration":{"pushNotificationConfig":`+config+`}}}`)
	must.Close(t, r)
	if text := must.Read(t, file); strings.Contains(text, "push4me") || strings.Contains(text, "cred4me") {
		t.Errorf("a secret is in the cassette:\n%s", text)
	}
}

// TestAnewInUpload: a job of BigQuery that loads data has its id in the first part, and a service that
// takes its token in a header gets another one each time.
func TestAnewInUpload(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"id":"1"}`) }))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct {
		mode promptecho.Mode
		id   string
	}{{promptecho.ModeAll, "aZ5xLr7sFFjMoJmLQ0hYVtYvTzR"}, {promptecho.ModeNone, "c1KqV8pDqWm3xNs7TbRe5YuAoPz"}} {
		r := must.Open(t, file, promptecho.InMode(run.mode))
		body := "--b\r\nContent-Type: application/json\r\n\r\n" + `{"configuration":{"load":{}},"jobReference":{"jobId":"` + run.id + `"}}` +
			"\r\n--b\r\nContent-Type: text/plain\r\n\r\na,b\r\n--b--\r\n"
		for range 2 {
			req, err := http.NewRequest("POST", srv.URL+"/upload/bigquery/v2/projects/p/jobs?uploadType=multipart", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "multipart/related; boundary=b")
			req.Header.Set("X-Amz-Client-Token", run.id)
			resp, err := r.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Body.Close(); resp.StatusCode != 200 {
				t.Errorf("%v: %s", run.mode, resp.Status)
			}
			run.id = strings.ToUpper(run.id)
		}
		must.Close(t, r)
	}
}
