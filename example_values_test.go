package promptecho_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
)

// A planner is code under test. It gets its clock, its ids and its settings from outside,
// as it gets its client.
type planner struct {
	client *http.Client
	now    func() time.Time // time.Now
	ids    io.Reader        // crypto/rand.Reader
	model  string           // os.Getenv("MODEL")
}

// plan asks the model for help on a trip of today.
func (p *planner) plan(task string) (string, error) {
	var id [4]byte
	if _, err := io.ReadFull(p.ids, id[:]); err != nil {
		return "", err
	}
	prompt := fmt.Sprintf("Trip %x, %s. %s", id, p.now().Format("Monday, 2 January 2006"), task)
	body, err := json.Marshal(map[string]any{
		"model":    p.model,
		"messages": []map[string]string{{"role": "user", "content": prompt}},
	})
	if err != nil {
		return "", err
	}
	resp, err := p.client.Post("https://api.openai.com/v1/chat/completions", "application/json", strings.NewReader(string(body)))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Choices) == 0 {
		return "", fmt.Errorf("%s: %v", resp.Status, err)
	}
	return answer.Choices[0].Message.Content, nil
}

// Code that gets its clock, its ids and its settings from outside gets the recorder's in a
// test. What it asks is then the same on every day and on every machine.
func ExampleRecorder_Now() {
	rec, err := promptecho.Open("testdata/cassettes/trip.yaml")
	if err != nil {
		log.Fatal(err)
	}
	p := planner{client: rec.Client(), now: rec.Now, ids: rec.Rand("trips"), model: rec.Env("MODEL")}
	answer, err := p.plan("Pack my bag.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: [stand-in] You said: Trip 33afc525, Sunday, 22 November 2026. Pack my bag. (1 message, 9 words, 41 letters)
}

// The recorder is itself what many packages take in place of package time: a clock that
// stands still at the time of the recording.
func ExampleRecorder_Now_interface() {
	rec, err := promptecho.Open("testdata/cassettes/trip.yaml", promptecho.AllowUnused())
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	var c interface{ Now() time.Time } = rec
	fmt.Println(c.Now())
	// Output: 2026-11-22 16:39:59 +0000 UTC
}

// A source of random bytes takes the place of crypto/rand.Reader. It returns the same
// in each replay.
func ExampleRecorder_Rand() {
	rec, err := promptecho.Open("testdata/cassettes/trip.yaml", promptecho.AllowUnused())
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	var id [4]byte
	if _, err := io.ReadFull(rec.Rand("trips"), id[:]); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", id)
	// Output: 33afc525
}

// In a bubble of testing/synctest, code that calls time.Now itself can be moved to the
// time of the recording. Its clock goes on from there, and sleeping takes no time.
func TestTripInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, err := promptecho.Open("testdata/cassettes/trip.yaml")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(rec.Now()))

		p := planner{client: rec.Client(), now: func() time.Time { return time.Now().UTC() }, ids: rec.Rand("trips"), model: rec.Env("MODEL")}
		if answer, err := p.plan("Pack my bag."); err != nil || !strings.Contains(answer, "Pack my bag.") {
			t.Errorf("%q, %v", answer, err)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	})
}
