package secrets_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/encode"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A secret at any place of a call, in any encoding, is in no file, report or log. The program has it from Secret, and
// it is encoded once or twice. The files are the cassette, its assets, the journal and the file of a failed run. With
// FULL=1, a third of all encodings is tried at each place.
func TestNothingOfASecretIsWritten(t *testing.T) {
	// Not parallel: it sets the environment.
	for i, secret := range secretsOfPlaces {
		t.Setenv(variableOf(i), secret)
	}
	server := newPlaceServer(t)
	every := full.Cases(97, 3) // the first case of each place, and one in so many
	number := 0
	for _, place := range secretPlaces {
		for i, c := range casesOf(place) {
			number++
			isChosen := i == 0 || number%every == 0
			if !isChosen {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.server = server
				c.check(t)
			})
		}
	}
}

// secretsOfPlaces are a key, a secret with characters that encodings escape, a UUID, and one that a number can be.
var secretsOfPlaces = []string{
	"Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6QhWk1MiOo0XzCvBn",
	`Zq3v&T8mKx<2Lw9"pRb4/+~`,
	"8f14e45f-ceea-467f-a8d5-3b1c7e9d2a60",
	"4929153870264815",
}

// variableOf returns the name of the variable that has a secret of [secretsOfPlaces].
func variableOf(i int) string { return fmt.Sprintf("PROMPTECHO_TEST_PLACE_%d", i) }

// casesOf returns a case for each encoding of an encoding that can be at a place.
func casesOf(place secretPlace) (cases []*secretCase) {
	for _, inner := range encode.All {
		for _, outer := range encode.All {
			i := (len(inner.Name) + len(outer.Name)) % len(secretsOfPlaces)
			if place.ofDigits {
				i = len(secretsOfPlaces) - 1
			}
			secret := secretsOfPlaces[i]
			text := outer.Encode(inner.Encode(secret))
			if place.holds == nil {
				text = outer.Encode("see " + inner.Encode(secret) + " there")
			}
			isPossible := place.holds == nil || place.holds(text)
			if !isPossible {
				continue
			}
			cases = append(cases, &secretCase{
				name:     place.name + "/" + outer.Name + " of " + inner.Name,
				place:    place,
				secret:   secret,
				variable: variableOf(i),
				text:     text,
			})
		}
	}
	return cases
}

// A placeServer is a server on loopback, and a transport that leads to it whatever the host of a URL is.
type placeServer struct {
	transport *http.Transport
	answers   sync.Map // functions that answer, by the header X-Case
}

// newPlaceServer starts a server that runs until the test ends.
func newPlaceServer(t *testing.T) *placeServer {
	s := new(placeServer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		answer, ok := s.answers.Load(req.Header.Get("X-Case"))
		if ok {
			answer.(func(http.ResponseWriter))(w)
		}
	}))
	t.Cleanup(server.Close)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, server.Listener.Addr().String())
	}
	s.transport = &http.Transport{DialContext: dial}
	t.Cleanup(s.transport.CloseIdleConnections)
	return s
}

// A secretCase is a secret in an encoding at a place.
type secretCase struct {
	name     string
	server   *placeServer
	place    secretPlace
	secret   string
	variable string          // the environment variable that has the secret
	text     string          // the encoded secret, in a sentence if the place can have one
	dir      string          // the folder of the cassette
	shown    strings.Builder // what the user reads: notes, errors, reports of misses
}

// check records a call, records it again in a test that fails, and replays one that is not recorded. It looks for the
// secret after each step.
func (c *secretCase) check(t *testing.T) {
	if !encode.Holds(c.text, c.secret) {
		t.Fatalf("the text does not hold the secret: %q", c.text)
	}
	c.dir = t.TempDir()

	r := c.open(t, promptecho.ModeAll)
	c.call(t, r, "/v1/notes")
	c.lookFor(t, "while recording", 1)
	must.Close(t, r)
	c.lookFor(t, "after recording", 1)

	r = c.open(t, promptecho.ModeAll)
	c.call(t, r, "/v1/notes")
	c.call(t, r, "/v1/more")
	c.lookFor(t, "while recording again", 2)
	for _, text := range must.Finish(r, report.Outcome{Failed: true}).Errors {
		c.shown.WriteString(text)
	}
	c.lookFor(t, "after a failed test", 2)

	r = c.open(t, promptecho.ModeNone)
	c.call(t, r, "/v1/notes")
	c.call(t, r, "/v1/others")
	err := r.Close()
	if err != nil {
		fmt.Fprintln(&c.shown, err)
	}
	c.lookFor(t, "after a miss", 2)
	if !strings.Contains(c.shown.String(), "not recorded") && c.place.wrap == nil {
		t.Errorf("no miss is reported: %s", c.shown.String())
	}
}

// open opens a recorder that knows the secret.
func (c *secretCase) open(t *testing.T, mode promptecho.Mode) *promptecho.Recorder {
	r := must.Open(t, filepath.Join(c.dir, "c.yaml"),
		promptecho.InMode(mode),
		promptecho.Upstream(c.server.transport),
		promptecho.KeepHeaders("X-Note"),
		promptecho.OnRecordError(promptecho.Keep),
		promptecho.Log(func(note string) { fmt.Fprintln(&c.shown, note) }))
	r.Secret(c.variable)
	return r
}

// call makes a call with the text at its place. Of its answer, the user reads only the report of a miss.
func (c *secretCase) call(t *testing.T, r *promptecho.Recorder, path string) {
	if c.place.wrap != nil {
		text := c.text
		if path != "/v1/notes" {
			text += path
		}
		err := c.place.wrap(t.Context(), r, text)
		if err != nil {
			fmt.Fprintln(&c.shown, err)
		}
		return
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://notes.example"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if c.place.request != nil {
		c.place.request(req, c.text)
		if path != "/v1/notes" {
			req.Method = "PUT"
		}
	}
	req.Header.Set("X-Case", t.Name())
	c.server.answers.Store(t.Name(), func(w http.ResponseWriter) {
		if c.place.answer != nil {
			c.place.answer(w, c.text)
		}
	})
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusTeapot {
		c.shown.Write(body)
	}
}

// lookFor looks for the secret in all files and in what the user reads.
func (c *secretCase) lookFor(t *testing.T, when string, leastFiles int) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if encode.Holds(string(content), c.secret) {
			t.Errorf("%s: %s has the secret:\n%.2000s", when, filepath.Base(path), content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < leastFiles {
		t.Errorf("%s: %d files, want %d or more", when, files, leastFiles)
	}
	if encode.Holds(c.shown.String(), c.secret) {
		t.Errorf("%s: the user reads the secret:\n%.2000s", when, c.shown.String())
	}
}
