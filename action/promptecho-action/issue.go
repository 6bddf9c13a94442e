package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// issueMarker begins the text of an issue of the action, and is not shown.
const issueMarker = "<!-- promptecho-issue -->\n"

// An issue is one of the repository. Lists of issues have pull requests, too.
type issue struct {
	Number int    `json:"number"`
	Body   string `json:"body"`
	User   user   `json:"user"`
}

// issue keeps one issue up to date with a report: it opens the issue, or updates the one that is
// open with this label. If the problem is solved, it closes the issue instead.
func (j *job) issue(ctx context.Context, label, title, report string, solved bool) error {
	c, err := j.client()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Of [this run](%s).\n\n%s", j.runURL(), report)
	body, isCut := fit(issueMarker, text, j.runURL())
	if isCut {
		if err := j.appendTo("GITHUB_STEP_SUMMARY", text); err != nil {
			return err
		}
	}
	var result string
	err = c.retry(ctx, func() (err error) {
		result, err = c.writeIssue(ctx, label, title, body, solved)
		return err
	})
	if err == nil {
		fmt.Fprintln(j.out, result)
	}
	return err
}

// writeIssue opens, updates or closes the issue, and says what it did. It looks for the issue each
// time, so it may be called again after a failure.
func (c *client) writeIssue(ctx context.Context, label, title, body string, solved bool) (result string, err error) {
	open, err := c.openIssue(ctx, label)
	switch {
	case err != nil:
		return "", err
	case open == nil && solved:
		return "No issue is open, and none is needed.", nil
	case open == nil:
		in := map[string]any{"title": title, "body": body, "labels": []string{label}}
		var created issue
		_, err := c.do(ctx, http.MethodPost, c.path("issues"), in, &created)
		return fmt.Sprintf("Opened issue %d.", created.Number), err
	}
	in := map[string]string{"title": title, "body": body}
	result = fmt.Sprintf("Updated issue %d.", open.Number)
	if solved {
		in["state"] = "closed"
		result = fmt.Sprintf("Closed issue %d.", open.Number)
	}
	_, err = c.do(ctx, http.MethodPatch, c.path("issues/%d", open.Number), in, nil)
	return result, err
}

// openIssue returns the open issue of the action with a label; nil if there is none.
func (c *client) openIssue(ctx context.Context, label string) (*issue, error) {
	query := url.Values{"state": {"open"}, "labels": {label}, "per_page": {"100"}}
	all, err := list[issue](ctx, c, c.path("issues?%s", query.Encode()))
	if err != nil {
		return nil, err
	}
	self, err := c.self(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		isMarked := strings.HasPrefix(all[i].Body, strings.TrimSpace(issueMarker))
		if isMarked && all[i].User == self {
			return &all[i], nil
		}
	}
	return nil, nil
}
