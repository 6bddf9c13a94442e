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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
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

var (
	realNames = strings.Fields(`Api-Version Connect-Content-Encoding Content-Disposition Content-Language Docker-Content-Digest
		Docker-Distribution-Api-Version Etag Grpc-Encoding Grpc-Message Grpc-Status Last-Modified Ostype Preference-Applied
		Proxy-Authenticate Sec-Websocket-Version Tus-Resumable Upload-Offset Warning Www-Authenticate X-Amz-Version-Id
		X-Amzn-Errortype X-Checksum-Sha256 X-Elastic-Product X-Goog-Hash X-Goog-Stored-Content-Length X-Http-Status-Code-Override
		X-Linked-Etag X-Linked-Size X-Ms-Continuationtoken X-Ms-Error-Code X-Next-Cursor X-Next-Page X-Repo-Commit X-Total-Count
		Alt-Svc Cache-Control Cf-Ray Nel Openai-Organization Openai-Processing-Ms Server Server-Timing Strict-Transport-Security
		Vary Via X-Amz-Cf-Id X-Envoy-Upstream-Service-Time X-Ratelimit-Remaining X-Request-Id Apim-Request-Id X-Trace-Id`)
	words = strings.Fields(`abacus blue count delta event first group hidden index job kind level media number offset part queue
		region state total unit version width zone`)
)

func draw(r *rand.Rand, http2 bool) (d drawn) {
	d.status = []int{200, 200, 200, 201, 202, 203, 204, 206, 299, 300, 304, 400, 401, 403, 404, 409, 418, 429, 451, 499, 500, 503, 529}[r.IntN(23)]
	d.reason = []string{http.StatusText(d.status), http.StatusText(d.status), "", "Fine by me"}[r.IntN(4)]
	field := func(i int) [2]string {
		name := realNames[r.IntN(len(realNames))]
		if r.IntN(2) == 0 {
			name = http.CanonicalHeaderKey(fmt.Sprintf("%s-%s%d", words[r.IntN(len(words))], words[r.IntN(len(words))], i))
		}
		value := []string{strconv.Itoa(r.IntN(1e6)), words[r.IntN(len(words))] + " and more, " + words[r.IntN(len(words))], `"` + words[r.IntN(len(words))] + `"`, "a=b; c=d", ""}[r.IntN(5)]
		return [2]string{name, value}
	}
	for i := range r.IntN(6) {
		d.header = append(d.header, field(i))
	}
	media := []string{"application/json", "text/event-stream", "application/x-ndjson", "text/plain", "audio/mpeg"}[r.IntN(5)]
	d.header = append(d.header, [2]string{"Content-Type", media})
	size := []int{0, 0, 1, 1, 30, 30, 3000, 3000, 1 << 16, 1 << 20}[r.IntN(10)]
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

// TestSameAnswers: what the client saw while an answer was recorded is what a replay shows it,
// field by field, whatever the answer is and however the client asks.
func TestSameAnswers(t *testing.T) {
	t.Setenv("CI", "") // it records
	const count = 400  // in all
	for _, version := range []string{"HTTP/1", "HTTP/2"} {
		for _, way := range []string{"Client", "Default", "Default, cloned", "Serve"} {
			t.Run(version+" "+way, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, uint64(len(way))))
				answers := make([]drawn, count/8)
				methods := make([]string, len(answers))
				for i := range answers {
					answers[i] = draw(r, version == "HTTP/2")
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
