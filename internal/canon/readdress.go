package canon

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// IsChat reports whether the request asks a model for an answer that says why it
// ended, and does nothing else: a chat, a message, a completion. Requests for
// embeddings, transcriptions or moderations are no chats, nor are sessions.
func (f *Form) IsChat() bool {
	return f.Repeatable() && f.Wire != WebSocketWire && len(f.family.Transcript.Finish) > 0
}

// A Destination says where a request goes in place of its own model.
type Destination struct {
	Model string // "" for the model that the request names

	// Base is the address of another server with the same API, as an SDK takes it:
	// https://api.groq.com/openai/v1. It is nil for the server of the request.
	Base *url.URL
}

var (
	errNoAPI        = errors.New("promptecho does not know its API")
	errModelOfHost  = errors.New("the name of its host names the model: give the address of another server")
	errNoModelPlace = errors.New("promptecho does not know where it names its model")
)

// Readdress returns the URL and the body of the request that has this form, sent to
// another destination. u and body are those that the program sends; the form may be
// that of a recording that equals the request. The body is returned as it is if it
// need not name another model.
func (f *Form) Readdress(u *url.URL, body []byte, to Destination) (*url.URL, []byte, error) {
	path := urls.Segments(u)
	if f.family == nil {
		return nil, nil, errNoAPI
	}
	found, ok := f.family.matchPath(path)
	if !ok {
		return nil, nil, errNoAPI
	}

	out := *u
	if to.Base != nil {
		// What precedes the pattern is of the old server. It may have named the model.
		path = path[found.start:]
		out.Scheme = to.Base.Scheme
		out.Host = to.Base.Host
		if to.Model == "" {
			to.Model = f.Model
		}
	}
	isPathChanged := to.Base != nil
	if to.Model != "" {
		renamed, isInPath, err := f.family.nameInPath(path, to.Model)
		if err != nil {
			return nil, nil, err
		}
		isModelOfHost := !f.family.NoModel && urls.HostModel.Get(out.Hostname()) != ""
		if isModelOfHost {
			return nil, nil, errModelOfHost
		}
		path = renamed
		isPathChanged = isPathChanged || isInPath
		body, err = nameInBody(body, to.Model, !isInPath)
		if err != nil {
			return nil, nil, err
		}
	}
	if isPathChanged {
		setPath(&out, to.Base, path)
	}
	return &out, body, nil
}

// nameInPath returns a path that names another model, if the path names one. The path
// ends as one of the family's patterns says.
func (f *Family) nameInPath(path []string, model string) (renamed []string, isInPath bool, err error) {
	c, _ := f.matchPath(path)
	plain := strings.TrimPrefix(model, "models/") // Google's name of a resource
	org := ""
	for _, n := range c.names {
		switch n.Name {
		case "org":
			org = n.Value
		case "model":
			isInPath = true
			path, err = f.renameInPath(path, org, n.Value, plain)
			if err != nil {
				return nil, false, err
			}
			org = ""
		}
	}
	return path, isInPath, nil
}

// renameInPath replaces a model of a path, and the organization before it unless that is
// "". The path must match a pattern of the family before and after that.
func (f *Family) renameInPath(path []string, org, old, model string) ([]string, error) {
	if old == model {
		return path, nil
	}
	newOrg, name, hasOrg := strings.Cut(model, "/")
	if org != "" && !hasOrg {
		return nil, fmt.Errorf("its path names the model as %s/%s: name the other one as ORG/MODEL", org, old)
	}
	if org == "" {
		name = model
	}
	for i := range path {
		if !strings.Contains(path[i], old) {
			continue
		}
		renamed := slices.Clone(path)
		renamed[i] = strings.Replace(path[i], old, name, 1)
		if org != "" {
			if i == 0 || path[i-1] != org {
				continue
			}
			renamed[i-1] = newOrg
		}
		c, ok := f.matchPath(renamed)
		isNamed := func(n urls.Named) bool { return n.Name == "model" && n.Value == name }
		if ok && slices.ContainsFunc(c.names, isNamed) {
			return renamed, nil
		}
	}
	return nil, errNoModelPlace
}

// nameInBody returns a JSON body that names another model. It is the same body if it
// names no model, unless it must. Its members keep their order, and its numbers their
// spelling.
func nameInBody(body []byte, model string, must bool) ([]byte, error) {
	v, err := exactjson.Parse(body)
	isObject := err == nil && v.Kind == exactjson.Object
	switch {
	case !isObject && must:
		return nil, errNoModelPlace
	case !isObject, !must && v.Member("model") == nil:
		return body, nil
	}
	set(&v, "model", exactjson.Value{Kind: exactjson.String, Text: model})
	return v.AppendJSON(nil, exactjson.Layout{}), nil
}

// setPath sets the path of a URL to segments, behind the path of base unless that is nil.
// A segment with which base ends is not repeated: https://api.example.com/v1 and v1/messages
// make /v1/messages.
func setPath(u *url.URL, base *url.URL, path []string) {
	escaped := ""
	if base != nil {
		before := urls.Segments(base)
		if len(path) > 0 && before[len(before)-1] == path[0] {
			path = path[1:]
		}
		escaped = strings.TrimSuffix(base.EscapedPath(), "/")
	}
	for _, segment := range path {
		escaped += "/" + url.PathEscape(segment)
	}
	u.RawPath = escaped
	u.Path, _ = url.PathUnescape(escaped) // PathEscape returns valid escapes
}
