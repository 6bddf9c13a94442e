package main

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/fakegithub"
)

// A pull request has one comment of the action, which each run updates.
func TestOneCommentIsUpdatedInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	steps := []struct {
		text    string
		changed bool
		want    string // in the log
	}{
		{"no cassette has changed", false, "no comment"},
		{"1 cassette changed", true, "Commented"},
		{"2 cassettes changed", true, "Updated"},
		{"no cassette has changed", false, "Updated"}, // the change is gone
		{"3 cassettes changed", true, "Updated"},
	}
	for i, step := range steps {
		w.log.Reset()
		if err := w.comments(t, step.text, step.changed); err != nil {
			t.Fatal(err)
		}
		w.says(t, step.want)
		if i == 0 {
			if n := len(w.api.Comments()); n != 0 {
				t.Errorf("%d comments where nothing has changed", n)
			}
			continue
		}
		if got := w.ownComment(t); got != marker+step.text {
			t.Errorf("step %d: the comment is %q", i, got)
		}
	}
	if w.slept != nil {
		t.Errorf("waited for %v", w.slept)
	}
}

// The comment is found among hundreds of others.
func TestCommentIsFoundOnAnyPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	talk := func() {
		for i := range 230 {
			w.api.AddComment(fakegithub.User{Login: "ann", Type: "User"}, fmt.Sprintf("comment %d", i))
		}
	}
	talk()
	if err := w.comments(t, "first", true); err != nil {
		t.Fatal(err)
	}
	talk()
	if err := w.comments(t, "second", true); err != nil {
		t.Fatal(err)
	}
	if got := w.ownComment(t); got != marker+"second" {
		t.Errorf("the comment is %q", got)
	}
}

// A comment that another account has written stays as it is, also if it begins with the marker of
// the action.
func TestCommentOfAnotherAccountIsNeverEdited(t *testing.T) {
	t.Parallel()
	users := []fakegithub.User{
		{Login: "mallory", Type: "User"},
		{Login: "github-actions", Type: "User"},
		{Login: "echo[bot]", Type: "Bot"},
	}
	accounts := map[string]func(*fakegithub.Server){
		"token of the job":                 func(*fakegithub.Server) {},
		"token of a person":                func(s *fakegithub.Server) { s.SetLogin("ann") },
		"token of an app":                  func(s *fakegithub.Server) { s.SetLogin("bot-of-us[bot]") },
		"server that does not name itself": func(s *fakegithub.Server) { s.SetNoViewer() },
	}
	for name, set := range accounts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			set(w.api)
			for _, u := range users {
				w.api.AddComment(u, marker+"of "+u.Login)
			}
			before := w.api.Comments()
			for _, text := range []string{"one", "two", "three"} {
				if err := w.comments(t, text, true); err != nil {
					t.Fatal(err)
				}
			}
			after := w.api.Comments()
			if len(after) != len(before)+1 || !reflect.DeepEqual(after[:len(before)], before) {
				t.Errorf("the comments were\n%v\nand are\n%v", before, after)
			}
			if got := after[len(after)-1].Body; got != marker+"three" {
				t.Errorf("the comment of the action is %q", got)
			}
		})
	}
}

// Where the token may not write, the job passes, and the text is in the summary of the run.
func TestTokenThatMayNotWrite(t *testing.T) {
	t.Parallel()
	tests := []struct{ head, want string }{
		{"somebody/app", "::notice title=promptecho::The token of a pull request from a fork may not comment."},
		{repo, "permissions: {contents: read, pull-requests: write}"},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.api.SetReadOnly()
		w.writeEvent(t, tt.head)
		if err := w.comments(t, "1 cassette changed\n", true); err != nil {
			t.Errorf("from %s: %v", tt.head, err)
		}
		w.says(t, tt.want)
		if got := w.summary(t); got != "1 cassette changed\n" {
			t.Errorf("from %s: the summary is %q", tt.head, got)
		}
	}
}

// A failure of GitHub that passes leads to one comment, also if the comment was created and only
// the answer was lost.
func TestFailureOfGitHubThatPasses(t *testing.T) {
	t.Parallel()
	after := func(seconds string) http.Header { return http.Header{"Retry-After": {seconds}} }
	tests := []struct {
		name     string
		failures []fakegithub.Failure
		slept    []time.Duration
	}{
		{"502, then 503", []fakegithub.Failure{{Status: 502}, {Status: 503}}, []time.Duration{time.Second, 2 * time.Second}},
		{"the answer is lost", []fakegithub.Failure{{Status: 504, Done: true}}, []time.Duration{time.Second}},
		{"too many writes", []fakegithub.Failure{{Status: 403, Header: after("7")}}, []time.Duration{7 * time.Second}},
		{"too many requests", []fakegithub.Failure{{Status: 429}}, []time.Duration{time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.api.Fail(tt.failures...)
			if err := w.comments(t, "text", true); err != nil {
				t.Fatal(err)
			}
			if got := w.ownComment(t); got != marker+"text" {
				t.Errorf("the comment is %q", got)
			}
			if !slices.Equal(w.slept, tt.slept) {
				t.Errorf("waited for %v, want %v", w.slept, tt.slept)
			}
			if w.summary(t) != "" {
				t.Errorf("the summary is %q", w.summary(t))
			}
		})
	}
}

// A failure of GitHub that stays does not fail the job: the text is in the summary.
func TestFailureOfGitHubThatStays(t *testing.T) {
	t.Parallel()
	tests := map[string][]fakegithub.Failure{
		"500, four times": {{Status: 500}, {Status: 500}, {Status: 500}, {Status: 500}},
		"an hour":         {{Status: 403, Header: http.Header{"Retry-After": {"3600"}}}},
		"no requests left": {{Status: 403, Header: http.Header{
			"X-Ratelimit-Remaining": {"0"},
			"X-Ratelimit-Reset":     {fmt.Sprint(time.Now().Add(time.Hour).Unix())},
		}}},
	}
	for name, failures := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.api.Fail(failures...)
			if err := w.comments(t, "text", true); err != nil {
				t.Error(err)
			}
			w.says(t, "::warning title=promptecho::GitHub did not take the comment")
			if got := w.summary(t); got != "text" {
				t.Errorf("the summary is %q", got)
			}
			if len(w.slept) >= maxAttempts {
				t.Errorf("waited %d times", len(w.slept))
			}
		})
	}
}

// What a person has to correct fails the job, with an error that does not have the token.
func TestErrorsThatFailTheJob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		set  func(*world)
		want string
	}{
		{"a wrong token", func(w *world) { w.env["GITHUB_TOKEN"] = "wrong" }, "401 Unauthorized: Bad credentials"},
		{"no token", func(w *world) { w.env["GITHUB_TOKEN"] = "" }, "\"token\" is empty"},
		{"a text that is refused", func(w *world) { w.api.Fail(fakegithub.Failure{Status: 422, Message: "Validation Failed"}) },
			"422 Unprocessable Entity: Validation Failed"},
	}
	for _, tt := range tests {
		w := newWorld(t)
		tt.set(w)
		err := w.comments(t, "text", true)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if w.summary(t) != "" {
			t.Errorf("%s: the summary is %q", tt.name, w.summary(t))
		}
	}
}

// The token is not in the log, also if the API repeats it.
func TestTokenIsNotInTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.annotate(annotation{level: "error", text: "bad token " + fakegithub.Token})
	w.says(t, "::error title=promptecho::bad token ***\n")
}

// Of comments that two jobs have created at the same time, the first stays.
func TestExtraCommentsAreDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bot := fakegithub.User{Login: fakegithub.Bot, Type: "Bot"}
	first := w.api.AddComment(bot, marker+"a")
	w.api.AddComment(bot, "another comment of the workflow")
	w.api.AddComment(bot, marker+"b")
	w.api.AddComment(bot, marker+"c")
	if err := w.comments(t, "text", true); err != nil {
		t.Fatal(err)
	}
	got := w.api.Comments()
	if len(got) != 2 || got[0].ID != first || got[0].Body != marker+"text" || got[1].Body != "another comment of the workflow" {
		t.Errorf("the comments are %v", got)
	}
}

// A comment that is deleted while the action runs is created again.
func TestCommentThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api.AddComment(fakegithub.User{Login: fakegithub.Bot, Type: "Bot"}, marker+"old")
	w.api.Fail(fakegithub.Failure{Status: 404, Message: "Not Found"})
	if err := w.comments(t, "text", true); err != nil {
		t.Fatal(err)
	}
	got := w.api.Comments()
	if len(got) != 2 || got[1].Body != marker+"text" {
		t.Errorf("the comments are %v", got)
	}
}

// A text that is longer than a comment may be ends after a section, and the summary of the run
// has all of it.
func TestLongTextIsCutAfterASection(t *testing.T) {
	t.Parallel()
	section := func(i int) string {
		return fmt.Sprintf("<details><summary>%d</summary>\n\n```diff\n%s```\n\n</details>\n\n", i, strings.Repeat("line é\n", 500))
	}
	w := newWorld(t)
	text := "### promptecho\n\n"
	for i := range 40 {
		text += section(i)
	}
	if err := w.comments(t, text, true); err != nil {
		t.Fatal(err)
	}
	got := w.ownComment(t)
	if len(got) > maxBody || len(got) < maxBody-2*len(section(0)) {
		t.Errorf("the comment has %d bytes", len(got))
	}
	end := "</details>\n\n**The rest does not fit here:** the summary of " +
		"[the run](https://github.com/owner/app/actions/runs/123) has all of it.\n"
	if !strings.HasSuffix(got, end) {
		t.Errorf("the comment ends with %q", got[len(got)-200:])
	}
	if w.summary(t) != text {
		t.Error("the summary does not have the text")
	}
}

// A text without sections is cut after a paragraph, and otherwise after a line.
func TestEndOfSection(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"a\n</details>\nb\n", "a\n</details>\n"},
		{"a\n\n## b\n\nc\n", "a\n\n"},
		{"a\n\nb\nc\n", "a\n"},
		{"a\nbcd", "a\n"},
		{"abcd", ""},
	}
	for _, tt := range tests {
		if got := tt.text[:endOfSection(tt.text, len(tt.text)-1)]; got != tt.want {
			t.Errorf("%q is cut to %q, want %q", tt.text, got, tt.want)
		}
	}
}
