// Package fakegithub is a fake of the part of GitHub's REST API that the GitHub action
// uses: comments and issues (https://docs.github.com/en/rest/issues), pull requests
// (https://docs.github.com/en/rest/pulls), and the name of the account that a token belongs to.
package fakegithub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxBody is the largest size of the body of a comment or an issue, in characters.
const maxBody = 65_536

// Token is the token that the server takes.
const Token = "ghs_fake-token-0123456789"

// Bot is the account that the token of a workflow belongs to.
const Bot = "github-actions[bot]"

// A User has written a comment or an issue.
type User struct {
	Login string `json:"login"`
	Type  string `json:"type"` // "User" or "Bot"
}

// A Comment is one of an issue or a pull request.
type Comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	User User   `json:"user"`
}

// An Issue is an issue or a pull request.
type Issue struct {
	Number int     `json:"number"`
	Title  string  `json:"title"`
	Body   string  `json:"body"`
	State  string  `json:"state"` // "open" or "closed"
	Labels []Label `json:"labels"`
	User   User    `json:"user"`
}

// A Label marks issues.
type Label struct {
	Name string `json:"name"`
}

// A Pull is a pull request that the action has opened.
type Pull struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	State  string `json:"state"` // "open" or "closed"
	Head   Ref    `json:"head"`
	Base   Ref    `json:"base"`
}

// A Ref is a branch of a pull request.
type Ref struct {
	Ref string `json:"ref"`
}

// A Failure is an answer that the server gives instead of the usual one.
type Failure struct {
	Status  int
	Header  http.Header
	Message string
	// Done says that the server has done what the request asks for, and that only the
	// answer is lost.
	Done bool
}

// A Server is the API of one repository, with one pull request.
type Server struct {
	URL    string // base address, without a trailing slash
	repo   string // OWNER/NAME
	number int    // of the pull request
	mux    *http.ServeMux
	web    *httptest.Server

	mu       sync.Mutex
	login    string
	readOnly bool
	noViewer bool
	failures []Failure
	nextID   int64
	comments []Comment
	issues   []Issue
	pulls    []Pull
	requests []string
}

// New starts a server for a repository with one pull request.
func New(repo string, number int) *Server {
	s := &Server{repo: repo, number: number, login: Bot, nextID: 1}
	s.mux = s.routes()
	s.web = httptest.NewServer(s)
	s.URL = s.web.URL
	return s
}

// Close stops the server.
func (s *Server) Close() { s.web.Close() }

// SetLogin sets the account that the token belongs to.
func (s *Server) SetLogin(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.login = login
}

// SetReadOnly takes the permission to write from the token, as in a pull request from a
// fork.
func (s *Server) SetReadOnly() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readOnly = true
}

// SetNoViewer makes the server one that does not say which account the token belongs to.
func (s *Server) SetNoViewer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noViewer = true
}

// Fail answers the next requests that write with failures, one each.
func (s *Server) Fail(failures ...Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, failures...)
}

// AddComment adds a comment of another account to the pull request, and returns its ID.
func (s *Server) AddComment(user User, body string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addComment(user, body).ID
}

// AddIssue adds an issue of another account.
func (s *Server) AddIssue(issue Issue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addIssue(issue)
}

// Comments returns the comments of the pull request.
func (s *Server) Comments() []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.comments)
}

// Issues returns the issues of the repository.
func (s *Server) Issues() []Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.issues)
}

// Pulls returns the pull requests that the action has opened.
func (s *Server) Pulls() []Pull {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pulls)
}

// ClosePulls closes these pull requests.
func (s *Server) ClosePulls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.pulls {
		s.pulls[i].State = "closed"
	}
}

// Requests returns the requests that have arrived, as "METHOD PATH".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !isBearer || token != Token {
		refuse(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	isQuery := r.URL.Path == "/graphql"
	isWrite := r.Method != http.MethodGet && !isQuery
	if isWrite && s.readOnly {
		refuse(w, http.StatusForbidden, "Resource not accessible by integration")
		return
	}
	if isWrite && len(s.failures) > 0 {
		f := s.failures[0]
		s.failures = s.failures[1:]
		if f.Done {
			s.mux.ServeHTTP(httptest.NewRecorder(), r)
		}
		for name, values := range f.Header {
			w.Header()[name] = values
		}
		refuse(w, f.Status, f.Message)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// routes returns the handler of each request. The handlers are called with mu held.
func (s *Server) routes() *http.ServeMux {
	m := http.NewServeMux()
	repo := "/repos/" + s.repo
	comments := fmt.Sprintf("%s/issues/%d/comments", repo, s.number)
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { refuse(w, http.StatusNotFound, "Not Found") })
	m.HandleFunc("POST /graphql", s.viewer)
	m.HandleFunc("GET "+comments, s.getComments)
	m.HandleFunc("POST "+comments, s.postComment)
	m.HandleFunc("PATCH "+repo+"/issues/comments/{id}", s.patchComment)
	m.HandleFunc("DELETE "+repo+"/issues/comments/{id}", s.deleteComment)
	m.HandleFunc("GET "+repo+"/issues", s.getIssues)
	m.HandleFunc("POST "+repo+"/issues", s.postIssue)
	m.HandleFunc("PATCH "+repo+"/issues/{number}", s.patchIssue)
	m.HandleFunc("GET "+repo+"/pulls", s.getPulls)
	m.HandleFunc("POST "+repo+"/pulls", s.postPull)
	m.HandleFunc("PATCH "+repo+"/pulls/{number}", s.patchPull)
	return m
}

// viewer says which account the token belongs to.
func (s *Server) viewer(w http.ResponseWriter, r *http.Request) {
	if s.noViewer {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	write(w, http.StatusOK, map[string]any{"data": map[string]any{"viewer": map[string]any{"login": s.login}}})
}

// own returns the account of the token.
func (s *Server) own() User {
	if strings.HasSuffix(s.login, "[bot]") {
		return User{Login: s.login, Type: "Bot"}
	}
	return User{Login: s.login, Type: "User"}
}

func (s *Server) addComment(user User, body string) Comment {
	c := Comment{ID: s.nextID, Body: body, User: user}
	s.nextID++
	s.comments = append(s.comments, c)
	return c
}

func (s *Server) addIssue(issue Issue) Issue {
	issue.Number = s.number + len(s.issues) + 1
	issue.State = cmp.Or(issue.State, "open")
	s.issues = append(s.issues, issue)
	return issue
}

func (s *Server) getComments(w http.ResponseWriter, r *http.Request) {
	writePage(w, r, s.URL, s.comments)
}

func (s *Server) postComment(w http.ResponseWriter, r *http.Request) {
	var in Comment
	if decode(w, r, &in) && hasValidBody(w, in.Body) {
		write(w, http.StatusCreated, s.addComment(s.own(), in.Body))
	}
}

func (s *Server) patchComment(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(s.comments, hasIDOf(r))
	if i < 0 {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	var in Comment
	if decode(w, r, &in) && hasValidBody(w, in.Body) {
		s.comments[i].Body = in.Body
		write(w, http.StatusOK, s.comments[i])
	}
}

func (s *Server) deleteComment(w http.ResponseWriter, r *http.Request) {
	before := len(s.comments)
	s.comments = slices.DeleteFunc(s.comments, hasIDOf(r))
	if len(s.comments) == before {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// hasIDOf returns a function that finds the comment of a request.
func hasIDOf(r *http.Request) func(Comment) bool {
	return func(c Comment) bool { return strconv.FormatInt(c.ID, 10) == r.PathValue("id") }
}

// getIssues lists the issues that have the state and the label of the query.
func (s *Server) getIssues(w http.ResponseWriter, r *http.Request) {
	state := cmp.Or(r.FormValue("state"), "open")
	label := r.FormValue("labels")
	list := slices.DeleteFunc(slices.Clone(s.issues), func(i Issue) bool {
		isOfState := state == "all" || i.State == state
		hasLabel := label == "" || slices.Contains(i.Labels, Label{label})
		return !isOfState || !hasLabel
	})
	writePage(w, r, s.URL, list)
}

func (s *Server) postIssue(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Title, Body string
		Labels      []string
	}
	if !decode(w, r, &in) || !hasValidBody(w, in.Body) {
		return
	}
	issue := Issue{Title: in.Title, Body: in.Body, User: s.own()}
	for _, name := range in.Labels {
		issue.Labels = append(issue.Labels, Label{name})
	}
	write(w, http.StatusCreated, s.addIssue(issue))
}

func (s *Server) patchIssue(w http.ResponseWriter, r *http.Request) {
	isNamed := func(i Issue) bool { return strconv.Itoa(i.Number) == r.PathValue("number") }
	i := slices.IndexFunc(s.issues, isNamed)
	if i < 0 {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	var in struct{ Title, Body, State string }
	if decode(w, r, &in) && hasValidBody(w, in.Body) {
		issue := &s.issues[i]
		issue.Title = cmp.Or(in.Title, issue.Title)
		issue.Body = in.Body
		issue.State = cmp.Or(in.State, issue.State)
		write(w, http.StatusOK, issue)
	}
}

// getPulls lists the pull requests that have the state and the branches of the query.
func (s *Server) getPulls(w http.ResponseWriter, r *http.Request) {
	owner, _, _ := strings.Cut(s.repo, "/")
	state := cmp.Or(r.FormValue("state"), "open")
	head, base := r.FormValue("head"), r.FormValue("base")
	list := slices.DeleteFunc(slices.Clone(s.pulls), func(p Pull) bool {
		isOfState := state == "all" || p.State == state
		isOfHead := head == "" || head == owner+":"+p.Head.Ref
		isOfBase := base == "" || base == p.Base.Ref
		return !isOfState || !isOfHead || !isOfBase
	})
	writePage(w, r, s.URL, list)
}

func (s *Server) postPull(w http.ResponseWriter, r *http.Request) {
	var in struct{ Title, Body, Head, Base string }
	if !decode(w, r, &in) || !hasValidBody(w, in.Body) {
		return
	}
	isOpen := func(p Pull) bool { return p.State == "open" && p.Head.Ref == in.Head && p.Base.Ref == in.Base }
	isIncomplete := in.Title == "" || in.Head == "" || in.Base == ""
	if isIncomplete || slices.ContainsFunc(s.pulls, isOpen) {
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	p := Pull{
		Number: s.number + 100 + len(s.pulls), Title: in.Title, Body: in.Body, State: "open",
		Head: Ref{in.Head}, Base: Ref{in.Base},
	}
	s.pulls = append(s.pulls, p)
	write(w, http.StatusCreated, p)
}

func (s *Server) patchPull(w http.ResponseWriter, r *http.Request) {
	isNamed := func(p Pull) bool { return strconv.Itoa(p.Number) == r.PathValue("number") }
	i := slices.IndexFunc(s.pulls, isNamed)
	if i < 0 {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	var in struct{ Title, Body string }
	if decode(w, r, &in) && hasValidBody(w, in.Body) {
		s.pulls[i].Title = cmp.Or(in.Title, s.pulls[i].Title)
		s.pulls[i].Body = in.Body
		write(w, http.StatusOK, s.pulls[i])
	}
}

// writePage writes the page of a list that the query asks for, with a link to the next one.
func writePage[T any](w http.ResponseWriter, r *http.Request, base string, list []T) {
	size, _ := strconv.Atoi(r.FormValue("per_page"))
	page, _ := strconv.Atoi(r.FormValue("page"))
	size = min(cmp.Or(size, 30), 100)
	page = cmp.Or(page, 1)
	begin := min((page-1)*size, len(list))
	end := min(begin+size, len(list))
	if end < len(list) {
		query := r.URL.Query()
		query.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, base, r.URL.Path, query.Encode()))
	}
	write(w, http.StatusOK, slices.Concat([]T{}, list[begin:end]))
}

// decode reads the body of a request.
func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	if json.NewDecoder(r.Body).Decode(v) != nil {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return false
	}
	return true
}

// hasValidBody checks the length of the body of a comment or an issue.
func hasValidBody(w http.ResponseWriter, body string) bool {
	isValid := body != "" && len([]rune(body)) <= maxBody
	if !isValid {
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed")
	}
	return isValid
}

func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]string{"message": message, "documentation_url": "https://docs.github.com/rest"})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
