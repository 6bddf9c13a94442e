package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// pullMarker begins the text of a pull request of the action, and is not shown.
const pullMarker = "<!-- promptecho-renew -->\n"

// A pull is a pull request.
type pull struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	Head   ref    `json:"head"`
	Base   ref    `json:"base"`
}

// A ref is a branch of a pull request.
type ref struct {
	Ref string `json:"ref"`
}

// openPull returns the open pull request of a branch of this repository; nil if there is none.
func (c *client) openPull(ctx context.Context, branch, base string) (*pull, error) {
	owner, _, _ := strings.Cut(c.repo, "/")
	query := url.Values{"state": {"open"}, "head": {owner + ":" + branch}, "base": {base}}
	all, err := list[pull](ctx, c, c.path("pulls?%s", query.Encode()))
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// writePull opens the pull request of a branch, or updates the one that is open, and says what it
// did. It looks for it each time, so it may be called again after a failure.
func (c *client) writePull(ctx context.Context, p pull) (result string, err error) {
	open, err := c.openPull(ctx, p.Head.Ref, p.Base.Ref)
	if err != nil {
		return "", err
	}
	in := map[string]string{"title": p.Title, "body": p.Body}
	if open != nil {
		_, err := c.do(ctx, http.MethodPatch, c.path("pulls/%d", open.Number), in, nil)
		return fmt.Sprintf("Updated pull request %d.", open.Number), err
	}
	in["head"] = p.Head.Ref
	in["base"] = p.Base.Ref
	var created pull
	_, err = c.do(ctx, http.MethodPost, c.path("pulls"), in, &created)
	return fmt.Sprintf("Opened pull request %d.", created.Number), err
}
