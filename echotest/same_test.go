package echotest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// A drawn is an answer as it stands on the wire, but for what its server adds.
type drawn struct {
	status          int
	reason          string
	header, trailer [][2]string
	body            []byte
	gzip            bool
	framing         string // length, chunked or end; of HTTP/2 length or end
	old             bool   // HTTP/1.0
}

var words = strings.Fields(`abacus blue count delta event first group hidden index job kind level media number offset part queue
	region state total unit version width zone`)

// headerNames returns 2,000 names of headers of answers: those that services and registers have,
// and made-up ones.
func headerNames(t *testing.T, r *rand.Rand) (names []string) {
	data, err := os.ReadFile(filepath.Join("testdata", "headers.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(data), "\n") // the first line says what they are
	for _, name := range strings.Fields(list) {
		if !differs.MatchString(name) {
			names = append(names, http.CanonicalHeaderKey(name))
		}
	}
	for i := len(names); i < 2000; i++ {
		names = append(names, http.CanonicalHeaderKey(fmt.Sprintf("%s-%s%d", words[r.IntN(len(words))], words[r.IntN(len(words))], i)))
	}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// differs matches the names of headers that differ in replay, as docs/MATCHING.md and
// docs/SECURITY.md say: secrets, and what tells a client to wait.
var differs = regexp.MustCompile(`(?i)token|secret|password|-key\b|key$|authorization|credential|cookie|signature|\botp\b|signed|-auth$|ticket|(retry|poll)-after`)

// draw returns an answer with headers of these names.
func draw(r *rand.Rand, http2 bool, names []string) (d drawn) {
	d.status = 200
	if r.IntN(3) > 0 {
		d.status = []int{200 + r.IntN(400), 200 + r.IntN(30), 400 + r.IntN(30), 500 + r.IntN(12)}[r.IntN(4)]
	}
	d.reason = []string{http.StatusText(d.status), http.StatusText(d.status), "", "Fine by me"}[r.IntN(4)]
	for _, name := range names {
		value := []string{strconv.Itoa(r.IntN(1e6)), words[r.IntN(len(words))] + " and more, " + words[r.IntN(len(words))], `"` + words[r.IntN(len(words))] + `"`, "a=b; c=d", ""}[r.IntN(5)]
		d.header = append(d.header, [2]string{name, value})
	}
	media := []string{"application/json", "text/event-stream", "application/x-ndjson", "text/plain", "audio/mpeg"}[r.IntN(5)]
	d.header = append(d.header, [2]string{"Content-Type", media})
	size := []int{0, 0, 1, 1, 30, 30, 3000, 3000, 1 << 16, full.Cases(1<<17, 1<<20)}[r.IntN(10)]
	switch {
	case size == 0:
	case media == "application/json":
		d.body = fmt.Appendf(nil, `{"n":%q}`, strings.Repeat("ab ", size/3))
	case media == "text/event-stream":
		d.body = []byte(strings.Repeat("data: {\"n\":1}\n\n", size/15+1))
	case media == "application/x-ndjson":
		d.body = []byte(strings.Repeat("{\"n\":1}\n", size/8+1))
	default:
		d.body = bytes.Repeat([]byte{'a', 0, 0xff}, size/3+1)
	}
	d.gzip = r.IntN(3) == 0 && len(d.body) > 0 && d.status != 206
	d.framing = []string{"length", "chunked", "end"}[r.IntN(3)]
	d.old = !http2 && d.framing != "chunked" && r.IntN(3) == 0
	if d.framing == "chunked" && r.IntN(2) == 0 {
		d.trailer = append(d.trailer, [2]string{"X-Sum", "abc"}, [2]string{"Grpc-Status", "0"}, [2]string{"X-Trace-Id", "7"})
	}
	return d
}

func (d *drawn) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, header, isEmpty := d.body, slices.Clone(d.header), req.Method == http.MethodHead || d.status == 204 || d.status == 304
	if d.gzip {
		var out bytes.Buffer
		g := gzip.NewWriter(&out)
		g.Write(body)
		g.Close()
		body = out.Bytes()
		header = append(header, [2]string{"Content-Encoding", "gzip"})
	}
	if req.ProtoMajor == 2 {
		for _, f := range header {
			w.Header().Add(f[0], f[1])
		}
		if d.framing == "length" && d.status != 204 && d.status != 304 { // net/http fails at the body of such a 304
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.WriteHeader(d.status)
		if !isEmpty {
			w.Write(body[:len(body)/2])
			w.(http.Flusher).Flush()
			w.Write(body[len(body)/2:])
		}
		for _, f := range d.trailer {
			w.Header().Add(http.TrailerPrefix+f[0], f[1])
		}
		return
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	out := bufio.NewWriter(conn)
	fmt.Fprintf(out, "HTTP/1.%d %d %s\r\nConnection: close\r\nDate: Tue, 24 Nov 2026 23:00:00 GMT\r\n", map[bool]int{true: 0, false: 1}[d.old], d.status, d.reason)
	for _, f := range header {
		fmt.Fprintf(out, "%s: %s\r\n", f[0], f[1])
	}
	switch {
	case d.framing == "length" && d.status != 204:
		fmt.Fprintf(out, "Content-Length: %d\r\n\r\n", len(body))
	case d.framing == "chunked" && !isEmpty:
		if d.trailer != nil {
			fmt.Fprint(out, "Trailer: X-Sum, X-Trace-Id\r\n")
		}
		fmt.Fprint(out, "Transfer-Encoding: chunked\r\n\r\n")
	default:
		fmt.Fprint(out, "\r\n")
	}
	switch {
	case isEmpty:
	case d.framing == "chunked":
		for chunk := range slices.Chunk(body, max(1, len(body)/2)) {
			fmt.Fprintf(out, "%x\r\n%s\r\n", len(chunk), chunk)
			out.Flush()
		}
		fmt.Fprint(out, "0\r\n")
		for _, f := range d.trailer {
			fmt.Fprintf(out, "%s: %s\r\n", f[0], f[1])
		}
		fmt.Fprint(out, "\r\n")
	default:
		out.Write(body)
	}
	out.Flush()
	conn.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, conn)
}

// look returns all that a client sees of an answer, but for the time that listeners add.
func look(client *http.Client, method, url string) string {
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		return err.Error()
	}
	resp, err := client.Do(req)
	if err != nil {
		return "no answer: " + err.Error()
	}
	defer resp.Body.Close()
	resp.Header.Del("Date")
	before := fmt.Sprintf("%q %s %v %d %v uncompressed %v close %v TLS %v trailer %v", resp.Status, resp.Proto, resp.Header, resp.ContentLength, resp.TransferEncoding, resp.Uncompressed, resp.Close, resp.TLS != nil, resp.Trailer)
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprintf("%s trailer after %v error %v cut %v body %d %.200q", before, resp.Trailer, err != nil, errors.Is(err, io.ErrUnexpectedEOF), len(body), body)
}

// What the client saw of an answer while it was recorded is what a replay shows it, field by field.
func TestSameAnswers(t *testing.T) {
	t.Setenv("CI", "")                // it records
	each := 2000 / full.Cases(10, 50) // names of headers in an answer
	for _, version := range []string{"HTTP/1", "HTTP/2"} {
		for _, way := range []string{"Client", "Default", "Default, cloned", "Serve"} {
			t.Run(version+" "+way, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, uint64(len(way))))
				names := headerNames(t, r)
				answers := make([]drawn, len(names)/each)
				methods := make([]string, len(answers))
				for i := range answers {
					answers[i] = draw(r, version == "HTTP/2", names[i*each:(i+1)*each])
					methods[i] = []string{"GET", "POST", "HEAD"}[r.IntN(3)]
				}
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					i, _ := strconv.Atoi(strings.TrimPrefix(req.URL.Path, "/"))
					answers[i].ServeHTTP(w, req)
				}))
				server.EnableHTTP2 = version == "HTTP/2"
				url := "http://example.com/"
				if server.EnableHTTP2 {
					server.StartTLS()
					url = "https://example.com/"
				} else {
					server.Start()
				}
				defer server.Close()
				upstream := server.Client().Transport.(*http.Transport).Clone()
				upstream.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
				}
				file := filepath.Join(t.TempDir(), "c.yaml")
				var seen [2][]string
				for run, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
					t.Run(string(mode), func(t *testing.T) {
						rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(upstream), promptecho.OnRecordError(promptecho.Keep))
						if err != nil {
							t.Fatal(err)
						}
						t.Cleanup(func() {
							if err := rec.Close(); err != nil {
								t.Error(err)
							}
						})
						client, base := rec.Client(), url
						switch way {
						case "Default":
							SetDefault(t, rec)
							client = &http.Client{}
						case "Default, cloned":
							SetDefault(t, rec)
							client = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
						case "Serve":
							client = &http.Client{Transport: &http.Transport{}}
							base = Serve(t, rec).URL(url)
						}
						client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
						for i, method := range methods {
							seen[run] = append(seen[run], look(client, method, base+strconv.Itoa(i)))
						}
					})
				}
				for i := range seen[0] {
					if i < len(seen[1]) && seen[0][i] != seen[1][i] {
						t.Errorf("%s of %+v\nrecorded %s\nreplayed %s", methods[i], answers[i].header, seen[0][i], seen[1][i])
					}
				}
			})
		}
	}
}
