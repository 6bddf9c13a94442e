package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
)

// marker begins the comment of the action, and is not shown. A comment is that of the action if
// it begins so and the account of the token has written it: another account that writes the
// marker gets no influence on what is edited.
const marker = "<!-- promptecho -->\n"

// withheld is the comment in place of one that could show a secret.
const withheld = "### promptecho: a cassette has what looks like a secret\n\n" +
	"So what changed is not shown. `promptecho verify` names the line. " +
	"Replace the secret with `[REDACTED]`, and revoke it: it is in a commit.\n\n"

// comment shows what a pull request changes in cassettes, as one comment that later runs update.
// Where the token may not write, it goes to the summary of the run. hasSecret says that a cassette
// has a secret.
func (j *job) comment(ctx context.Context, hasSecret bool) error {
	e, err := j.event()
	if err != nil {
		return err
	}
	if e.PullRequest == nil {
		fmt.Fprintln(j.out, "This run belongs to no pull request: nothing to comment on.")
		return nil
	}
	commits, err := j.rangeOf(ctx, e)
	if err != nil {
		return err
	}
	text, changed, err := j.difference(ctx, commits)
	if err != nil {
		return err
	}
	// A comment is sent by mail, and stays when the commit is gone.
	if hasSecret || redact.IsCredential(text) {
		text, changed = withheld, true
	}
	if sha := e.PullRequest.Head.SHA; sha != "" {
		text += fmt.Sprintf("<sub>Commit %s</sub>\n", sha)
	}
	return j.post(ctx, e, text, changed)
}

// post makes a text the comment of the action. changed says that it shows a change: without one,
// no comment is created.
func (j *job) post(ctx context.Context, e *event, text string, changed bool) error {
	c, err := j.client()
	if err != nil {
		return err
	}
	body, isCut := fit(marker, text, j.runURL())
	var result string
	err = c.retry(ctx, func() (err error) {
		result, err = c.writeComment(ctx, e.PullRequest.Number, body, changed)
		return err
	})
	isOnlyHere := err != nil || isCut
	if err == nil {
		fmt.Fprintln(j.out, result)
	} else {
		err = j.explain(err, e)
	}
	if err == nil && isOnlyHere {
		err = j.appendTo("GITHUB_STEP_SUMMARY", text)
	}
	return err
}

// difference returns what commits change in cassettes, in Markdown, and whether they change
// anything.
func (j *job) difference(ctx context.Context, commits string) (text string, changed bool, err error) {
	args := append([]string{commits}, j.paths()...)
	out, _, err := j.promptecho(ctx, append([]string{"diff", "-json"}, args...)...)
	if err != nil {
		return "", false, err
	}
	var cassettes []json.RawMessage
	if err := json.Unmarshal(out, &cassettes); err != nil {
		return "", false, fmt.Errorf("promptecho diff -json: %w", err)
	}
	out, _, err = j.promptecho(ctx, append([]string{"diff", "-markdown"}, args...)...)
	return string(out), len(cassettes) > 0, err
}

// A comment is one of a pull request.
type comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	User user   `json:"user"`
}

// writeComment updates the comment of the action, or creates it if something has changed. It
// says what it did. It looks for the comment each time, so it may be called again after a
// failure: a comment that an earlier attempt created is found.
func (c *client) writeComment(ctx context.Context, number int, body string, changed bool) (result string, err error) {
	own, err := c.ownComments(ctx, number)
	if err != nil {
		return "", err
	}
	if len(own) == 0 && !changed {
		return "No cassette has changed: no comment.", nil
	}
	if len(own) == 0 {
		_, err := c.do(ctx, http.MethodPost, c.path("issues/%d/comments", number), withBody(body), nil)
		return "Commented on the pull request.", err
	}

	// Jobs that ran at the same time may each have created one: the first stays.
	for _, extra := range own[1:] {
		_, err := c.do(ctx, http.MethodDelete, c.path("issues/comments/%d", extra.ID), nil, nil)
		if err != nil && !isGone(err) {
			return "", err
		}
	}
	_, err = c.do(ctx, http.MethodPatch, c.path("issues/comments/%d", own[0].ID), withBody(body), nil)
	if isGone(err) { // someone deleted it since it was listed
		_, err = c.do(ctx, http.MethodPost, c.path("issues/%d/comments", number), withBody(body), nil)
	}
	return "Updated the comment on the pull request.", err
}

// withBody returns the body of a request that writes a comment.
func withBody(text string) map[string]string { return map[string]string{"body": text} }

// isGone reports whether an error says that something is not there.
func isGone(err error) bool {
	var refused *apiError
	return errors.As(err, &refused) && refused.status == http.StatusNotFound
}

// ownComments returns the comments of the action on a pull request, the oldest first.
func (c *client) ownComments(ctx context.Context, number int) (own []comment, err error) {
	all, err := list[comment](ctx, c, c.path("issues/%d/comments?per_page=100", number))
	if err != nil {
		return nil, err
	}
	var marked []comment
	for _, found := range all {
		if strings.HasPrefix(found.Body, strings.TrimSpace(marker)) {
			marked = append(marked, found)
		}
	}
	if marked == nil {
		return nil, nil
	}
	self, err := c.self(ctx)
	if err != nil {
		return nil, err
	}
	for _, found := range marked {
		if found.User == self {
			own = append(own, found)
		}
	}
	return own, nil
}

// explain says why a comment could not be written, if that is no reason to fail the job: the
// summary of the run has the text. It returns any other error.
func (j *job) explain(err error, e *event) error {
	var refused *apiError
	if !errors.As(err, &refused) {
		return err
	}
	level, reason := "warning", ""
	switch {
	case refused.isForbidden() && j.isFromFork(e):
		level, reason = "notice", "The token of a pull request from a fork may not comment."
	case refused.isForbidden():
		reason = "The token may not comment (" + refused.Error() + "). Give the job this permission:\n" +
			"  permissions: {contents: read, pull-requests: write}"
	case refused.isTemporary():
		reason = "GitHub did not take the comment (" + refused.Error() + ")."
	default:
		return err
	}
	j.annotate(annotation{level: level, text: reason + "\nWhat changed in cassettes is in the summary of this run."})
	return nil
}
