package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A client speaks the REST API of GitHub for one repository.
type client struct {
	url     string // of the API, without a trailing slash
	graphql string // of the GraphQL API
	repo    string // OWNER/NAME
	token   string
	http    *http.Client
	sleep   func(context.Context, time.Duration) error
}

// client returns a client with the token of the job.
func (j *job) client() (*client, error) {
	token := j.getenv("GITHUB_TOKEN")
	if token == "" {
		return nil, errors.New("the action has no token: its input \"token\" is empty")
	}
	api := strings.TrimSuffix(cmp.Or(j.getenv("GITHUB_API_URL"), "https://api.github.com"), "/")
	return &client{
		url:     api,
		graphql: cmp.Or(j.getenv("GITHUB_GRAPHQL_URL"), api+"/graphql"),
		repo:    j.getenv("GITHUB_REPOSITORY"),
		token:   token,
		http:    &http.Client{Timeout: 30 * time.Second},
		sleep:   j.sleep,
	}, nil
}

// An apiError is a response with a failure, or a request without a response.
type apiError struct {
	request string // "POST /repos/o/r/issues/1/comments"
	status  int    // 0 if there was no response
	message string

	// wait is how long a client has to wait until it may ask again; 0 if the response does
	// not say it.
	wait time.Duration
	// isLimit says that there were too many requests.
	isLimit bool
}

func (e *apiError) Error() string {
	if e.status == 0 {
		return fmt.Sprintf("%s: %s", e.request, e.message)
	}
	return fmt.Sprintf("%s: %d %s: %s", e.request, e.status, http.StatusText(e.status), e.message)
}

// isTemporary reports whether the same request may succeed later.
func (e *apiError) isTemporary() bool {
	return e.isLimit || e.status == 0 || e.status >= 500
}

// isForbidden reports whether the token lacks the permission. GitHub says "not found" for what
// the token may not even read.
func (e *apiError) isForbidden() bool {
	return !e.isLimit && (e.status == http.StatusForbidden || e.status == http.StatusNotFound)
}

// do sends a request and decodes the response into out, unless it is nil. It returns the address of
// the next page of a list, if there is one.
func (c *client) do(ctx context.Context, method, url string, in, out any) (next string, err error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return "", err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "promptecho")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")

	request := method + " " + req.URL.Path
	resp, err := c.http.Do(req)
	if err != nil {
		return "", &apiError{request: request, message: err.Error()}
	}
	defer resp.Body.Close()
	// A page has at most 100 comments of 65,536 characters, of at most 4 bytes each.
	data, err := io.ReadAll(io.LimitReader(resp.Body, 32<<20))
	if err != nil {
		return "", &apiError{request: request, message: err.Error()}
	}
	if resp.StatusCode >= 300 {
		return "", refusal(request, resp, data)
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			return "", fmt.Errorf("%s: %w", request, err)
		}
	}
	return nextPage(resp.Header), nil
}

// refusal returns the error of a response with a failure. The rules of the limits are those of
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
func refusal(request string, resp *http.Response, body []byte) *apiError {
	var in struct{ Message string }
	_ = json.Unmarshal(body, &in) // a gateway sends HTML
	e := &apiError{request: request, status: resp.StatusCode, message: cmp.Or(in.Message, "no message")}

	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	hasRetryAfter := err == nil
	if hasRetryAfter {
		e.wait = time.Duration(seconds) * time.Second
	}
	isExhausted := resp.Header.Get("X-Ratelimit-Remaining") == "0"
	if isExhausted && !hasRetryAfter {
		reset, _ := strconv.ParseInt(resp.Header.Get("X-Ratelimit-Reset"), 10, 64)
		e.wait = time.Until(time.Unix(reset, 0))
	}
	mayBeLimit := resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusTooManyRequests
	e.isLimit = mayBeLimit && (hasRetryAfter || isExhausted) || resp.StatusCode == http.StatusTooManyRequests
	return e
}

var nextLink = regexp.MustCompile(`<([^>]*)>;\s*rel="next"`)

// nextPage returns the address of the page after this one; "" for the last page.
func nextPage(h http.Header) string {
	m := nextLink.FindStringSubmatch(h.Get("Link"))
	if m == nil {
		return ""
	}
	return m[1]
}

// The bounds of retrying: with these, a job waits at most three minutes.
const (
	maxAttempts = 4
	longestWait = time.Minute // what GitHub asks for after too many writes
)

// retry does something until it succeeds or cannot succeed. What it does must be right also if an
// earlier attempt has succeeded, and only its response was lost.
func (c *client) retry(ctx context.Context, do func() error) error {
	backoff := time.Second
	for attempt := 1; ; attempt++ {
		err := do()
		var refused *apiError
		if !errors.As(err, &refused) || !refused.isTemporary() || attempt == maxAttempts {
			return err
		}
		wait := max(backoff, refused.wait)
		if wait > longestWait {
			return err
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
		backoff *= 2
	}
}

// list returns all pages of a list.
func list[T any](ctx context.Context, c *client, url string) (all []T, err error) {
	for url != "" {
		var page []T
		next, err := c.do(ctx, http.MethodGet, url, nil, &page)
		if err != nil {
			return nil, err
		}
		// The token goes to the API only.
		if next != "" && !strings.HasPrefix(next, c.url+"/") {
			return nil, fmt.Errorf("the next page of %s is on another server", url)
		}
		all = append(all, page...)
		url = next
	}
	return all, nil
}

// path returns the address of something of the repository.
func (c *client) path(format string, args ...any) string {
	return c.url + "/repos/" + c.repo + "/" + fmt.Sprintf(format, args...)
}

// A user has written a comment or an issue.
type user struct {
	Login string `json:"login"`
}

// self returns the account that the token belongs to. REST has no request for it that the token
// of a job may send, so GraphQL is asked. A server that does not answer this is taken for one
// where the token is that of the job.
func (c *client) self(ctx context.Context) (user, error) {
	var out struct {
		Data struct{ Viewer user }
	}
	query := map[string]string{"query": "{viewer{login}}"}
	_, err := c.do(ctx, http.MethodPost, c.graphql, query, &out)
	var refused *apiError
	if errors.As(err, &refused) && refused.isTemporary() {
		return user{}, err
	}
	if login := out.Data.Viewer.Login; login != "" {
		return user{login}, nil
	}
	return user{"github-actions[bot]"}, nil
}
