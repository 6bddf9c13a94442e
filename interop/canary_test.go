package interop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// traces are the spellings of a credential that must be in no file.
func traces(credential string) []string {
	quoted, _ := json.Marshal(credential)
	std := base64.StdEncoding.EncodeToString([]byte(credential))
	return []string{credential, string(quoted[1 : len(quoted)-1]), url.QueryEscape(credential), std[:len(std)-4]}
}

// onDisk returns the files below dir that hold a trace of the credential.
func onDisk(t *testing.T, dir, credential string) (files []string, total int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		total++
		for _, trace := range traces(credential) {
			if bytes.Contains(data, []byte(trace)) {
				at := bytes.Index(data, []byte(trace))
				files = append(files, fmt.Sprintf("%s: …%s…", path, data[max(0, at-80):min(len(data), at+40)]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, total
}

// TestCanarySDKs: the key of every SDK, which its prompt repeats, and the
// provider in its answer, is in no file while it is recorded nor after.
func TestCanarySDKs(t *testing.T) {
	eachCall(t, func(c call) bool { return !c.lumps && !strings.HasPrefix(c.name, "ollama") /* has no key */ }, func(t *testing.T, c call) {
		key := fakeKey
		if strings.HasPrefix(c.name, "bedrock") {
			key = fakeKeyID // the secret half is never sent
		}
		p := fakeprovider.New()
		defer p.Close()
		dir := t.TempDir()
		rec, err := promptecho.Open(filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a test that would wait for ever
		defer cancel()
		heard := ""
		_, err = c.ask(ctx, rec.Client(), p.URL+c.path, question{model: "a-model", text: "my key is " + key}, func(event string) bool {
			heard += event
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		if files, n := onDisk(t, dir, key); len(files) > 0 || n == 0 && !c.stream {
			t.Errorf("in the journal (of %d files): %q", n, files)
		}
		err = rec.Close()
		files, n := onDisk(t, dir, key)
		if len(files) > 0 {
			t.Errorf("on disk: %q", files)
		}
		// A key that the model said in pieces cannot be replaced: then nothing is
		// written, and the error says why.
		if split := err != nil && strings.Contains(err.Error(), "(split over several events)"); err != nil && !split || n == 0 && !split {
			t.Errorf("%d files, Close: %v", n, err)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("the error shows the key: %v", err)
		}
	})
}

// TestCanaryPlaces: a credential in every place of a request where one can be,
// echoed by the server in every place of an answer.
func TestCanaryPlaces(t *testing.T) {
	t.Parallel()
	const credential = `echo-secret/canary+0123456789"\x`
	echoes := map[string]func(w http.ResponseWriter){
		"body": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(map[string]string{"echo": "you sent " + credential})
		},
		"text": func(w http.ResponseWriter) { io.WriteString(w, "you sent "+credential) },
		"header": func(w http.ResponseWriter) {
			w.Header().Set("X-Request-Id", "for-"+strings.ReplaceAll(credential, `"`, ""))
			w.Header().Set("X-Request-Id", "for-"+credential)
			w.Header().Set("Set-Cookie", "session="+url.QueryEscape(credential))
			w.Header().Set("X-Echo", credential)
			io.WriteString(w, "fine")
		},
		"error": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(401)
			json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": "Incorrect API key provided: " + credential}})
		},
		"stream": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			quoted, _ := json.Marshal("you sent " + credential)
			fmt.Fprintf(w, "data: {\"delta\":%s}\n\ndata: [DONE]\n\n", quoted)
		},
		"stream in pieces": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, letter := range "you sent " + credential {
				quoted, _ := json.Marshal(string(letter))
				fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", quoted)
			}
			io.WriteString(w, "data: [DONE]\n\n")
		},
		"redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://user:"+url.QueryEscape(credential)+"@elsewhere/?token="+url.QueryEscape(credential))
			w.WriteHeader(201)
		},
		"trailer": func(w http.ResponseWriter) {
			w.Header().Set("Trailer", "X-Request-Id")
			io.WriteString(w, "fine")
			w.Header().Set("X-Request-Id", "for-"+credential)
		},
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_secret": {credential}}.Encode()
	var parts bytes.Buffer
	mw := multipart.NewWriter(&parts)
	mw.WriteField("client_secret", credential)
	mw.WriteField("model", "m")
	mw.Close()
	places := map[string]func(base string) *http.Request{}
	header := func(name, value string) func(string) *http.Request {
		return func(base string) *http.Request {
			req, _ := http.NewRequest("POST", base+"/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set(name, value)
			return req
		}
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + credential, "X-Api-Key": credential, "Api-Key": credential, "X-Goog-Api-Key": credential, "Proxy-Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+credential)),
		"X-Amz-Security-Token": credential, "X-Made-Up-Token": credential, "X-Jwt": credential, "X-Passphrase": credential,
		"Cookie": "session=" + url.QueryEscape(credential) + "; theme=dark",
	} {
		places["header "+name] = header(name, value)
	}
	places["basic"] = func(base string) *http.Request {
		req := header("X", "y")(base)
		req.SetBasicAuth("me", credential)
		return req
	}
	places["userinfo"] = func(base string) *http.Request {
		req := header("X", "y")(base)
		req.URL.User = url.UserPassword("me", credential)
		return req
	}
	for _, name := range []string{"key", "api_key", "access_token", "sig", "X-Amz-Signature"} {
		places["query "+name] = func(base string) *http.Request {
			req := header("X", "y")(base)
			req.URL.RawQuery = url.Values{name: {credential}}.Encode()
			return req
		}
	}
	post := func(contentType, body string) func(string) *http.Request {
		return func(base string) *http.Request {
			req, _ := http.NewRequest("POST", base+"/token", strings.NewReader(body))
			req.Header.Set("Content-Type", contentType)
			req.Header.Set("Authorization", "Bearer "+credential) // so that the echo is known
			return req
		}
	}
	quoted, _ := json.Marshal(credential)
	places["JSON field"] = post("application/json", `{"client_secret":`+string(quoted)+`}`)
	places["JSON prompt"] = post("application/json", `{"prompt":`+string(quoted)+`}`)
	places["form"] = post("application/x-www-form-urlencoded", form)
	places["multipart"] = post(mw.FormDataContentType(), parts.String())

	for place, request := range places {
		for where, echo := range echoes {
			t.Run(place+", echoed in "+where, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					echo(w)
				}))
				defer server.Close()
				dir := t.TempDir()
				rec, err := promptecho.Open(filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.OnRecordError(promptecho.Keep))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := rec.RoundTrip(request(server.URL))
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(got), promptechoPlaceholder) {
					t.Errorf("the program sees %s", got)
				}
				if files, _ := onDisk(t, dir, credential); len(files) > 0 {
					t.Errorf("in the journal: %q", files)
				}
				if err := rec.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				if files, n := onDisk(t, dir, credential); len(files) > 0 || n != 1 {
					t.Errorf("%d files on disk: %q", n, files)
				}
			})
		}
	}
}

const promptechoPlaceholder = "[REDACTED"
