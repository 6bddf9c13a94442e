package browser

import (
	"context"
	"html/template"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/promptecho/promptecho/echotest"
)

// attacks is a page that knows the address of the proxy, and not the secret. It tries to send
// requests through it in each way that a page has.
var attacks = template.Must(template.New("attacks").Parse(`<!doctype html>
<title>attacks</title>
<form id=form method=post enctype=text/plain target=frame>
	<input name='{"model":"m","messages":[]}' value=''>
</form>
<iframe id=frame name=frame></iframe>
<script>
const proxy = {{.}};
const results = [];
async function attempt(name, attack) {
	try {
		const answer = await attack();
		results.push(name + ": " + (answer.type === "opaque" ? "sent, nothing to read" : await answer.text()));
	} catch (e) {
		results.push(name + ": " + e.name);
	}
}
function image(address) {
	return new Promise((resolve, reject) => {
		const image = new Image();
		image.onload = () => resolve(new Response("an image"));
		image.onerror = () => reject(new Error());
		image.src = address;
	});
}
function post(address) {
	return new Promise((resolve) => {
		document.getElementById("frame").onload = () => resolve({ type: "opaque" });
		const form = document.getElementById("form");
		form.action = address;
		form.submit();
	});
}
function socket(address) {
	return new Promise((resolve, reject) => {
		const socket = new WebSocket(address);
		socket.onopen = () => resolve(new Response("a socket"));
		socket.onerror = () => reject(new Error());
	});
}
async function main() {
	const body = '{"model":"m","messages":[{"role":"user","content":"Hello from a page."}]}';
	const simple = { method: "POST", mode: "no-cors", credentials: "include", body };
	const path = "/https/api.openai.com/v1/chat/completions";
	const absolute = "/https://api.openai.com/v1/chat/completions";
	const http = "http://" + proxy;
	await attempt("fetch", () => fetch(http + path));
	await attempt("fetch of an absolute URL", () => fetch(http + absolute));
	await attempt("simple request", () => fetch(http + path, simple));
	await attempt("simple request for an absolute URL", () => fetch(http + absolute, simple));
	await attempt("JSON", () => fetch(http + path, { method: "POST", headers: { "Content-Type": "application/json" }, body }));
	await attempt("password", () => fetch(http + path, { headers: { "Proxy-Authorization": "Basic cHJvbXB0ZWNobzpndWVzcw==" } }));
	await attempt("CONNECT", () => fetch(http + path, { method: "CONNECT" }));
	await attempt("image", () => image(http + path));
	await attempt("socket", () => socket("ws://" + proxy + path));
	await attempt("form", () => post(http + path));
	await attempt("form for an absolute URL", () => post(http + absolute));
	await attempt("form for the certificate", () => post(http + "/ca.pem"));
	window.done = true;
}
main();
</script>
`))

// A counter is asked by the server in place of a recorder.
type counter struct{ asked atomic.Int64 }

func (c *counter) RoundTrip(*http.Request) (*http.Response, error) {
	c.asked.Add(1)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("answered"))}, nil
}
func (*counter) Online() bool         { return true }
func (*counter) Secret(string) string { return "echo-secret-of-the-browser" }

// A page in the browser of a developer gets no request to the recorder, and no answer of the
// proxy, whatever it tries.
func TestPagesCannotUseTheProxy(t *testing.T) {
	var recorder counter // no recorder: what does not reach it cannot be recorded
	server := echotest.Serve(t, &recorder, echotest.Proxy(), echotest.Listen("127.0.0.1:0", ""))
	var proxy *url.URL
	for _, variable := range server.Env() {
		if value, ok := strings.CutPrefix(variable, "HTTPS_PROXY="); ok {
			proxy, _ = url.Parse(value)
		}
	}
	if proxy == nil {
		t.Fatal("no proxy")
	}
	// The way is open: a program with the secret is answered.
	resp, err := http.Get(server.URL("https://api.openai.com/v1/models"))
	if err != nil || resp.StatusCode != 200 || recorder.asked.Load() != 1 {
		t.Fatal(resp, err)
	}
	resp.Body.Close()

	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		err := attacks.Execute(w, proxy.Host)
		if err != nil {
			t.Error(err)
		}
	}))
	defer page.Close()
	ctx, cancel := chromedp.NewContext(chromium)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	p := &tab{t, ctx} // it is not that of open: the console has the attempts that failed
	p.do(chromedp.Navigate(page.URL))
	p.until("window.done")
	// The browser sends simple requests (https://fetch.spec.whatwg.org/#simple-header), and shows
	// the page nothing of their answers.
	want := []string{
		"fetch: TypeError",
		"fetch of an absolute URL: TypeError",
		"simple request: sent, nothing to read",
		"simple request for an absolute URL: sent, nothing to read",
		"JSON: TypeError",
		"password: TypeError",
		"CONNECT: TypeError",
		"image: Error",
		"socket: Error",
		"form: sent, nothing to read",
		"form for an absolute URL: sent, nothing to read",
		"form for the certificate: sent, nothing to read",
	}
	got := eval[[]string](p, "results")
	if !slices.Equal(got, want) {
		t.Errorf("the page has tried\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if asked := recorder.asked.Load(); asked != 1 {
		t.Errorf("the page has sent %d requests to the recorder", asked-1)
	}
}
