package perrun

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

const (
	uuid     = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`
	prefixed = `\b[a-z]{2,8}_[0-9A-Za-z]{12,}\b` // "sess_01ABcdEFgh23", as of OpenAI and Anthropic
	hex      = `\b[0-9a-f]{16,64}\b`             // of spans and of digests

	// temporary is a folder that a program or testing.T.TempDir has made below the folder for
	// temporary files: its name has at least three random digits. See package child for the
	// variable.
	temporary = `\$PROMPTECHO_TEMP[/\\]+` + inName + `*\d{3,}` + inName + `*(?:[/\\]+\d{3}\b)?`
	inName    = `[^/\\\s"':,)\]]`
)

var (
	token      = memo.Regexp(temporary + `|` + uuid + `|` + prefixed + `|` + hex)
	tempFolder = memo.Regexp(temporary)
	sessionID  = memo.Regexp(`^(?:` + uuid + `|` + prefixed + `)$`)
)

// longText is the length of a text in which there is no search: a file or a picture. It would take
// longer than to send it.
const longText = 8 << 10

// find returns the texts that an expression matches. In JSON they are in strings.
func find(text string, expr *regexp.Regexp) (values []Value) {
	isJSON := false
	for s := exactjson.Scan(text); s.Next(); {
		isJSON = isJSON || s.Token == exactjson.Open
		isString := s.Token == exactjson.Scalar && s.Kind == exactjson.String
		if isString && len(s.Path) > 0 {
			values = append(values, findIn(text, s.Start+1, s.End-1, s.Path, expr)...)
		}
	}
	if !isJSON {
		values = findIn(text, 0, len(text), nil, expr)
	}
	return values
}

// findIn returns the texts that an expression matches in a part of a text.
func findIn(text string, start, end int, path []string, expr *regexp.Regexp) (values []Value) {
	if end-start > longText {
		return nil
	}
	for _, at := range expr.FindAllStringIndex(text[start:end], -1) {
		v := Value{Start: start + at[0], End: start + at[1], path: strings.Join(path, "/")}
		v.Name = kindToken + ":" + text[v.Start:v.End]
		values = append(values, v)
	}
	return values
}

// sessionMembers are members whose values a client makes up for each session or message: of Claude
// Code, ACP and A2A.
var sessionMembers = map[string]bool{
	"session_id": true, "sessionId": true, "uuid": true, "message_id": true, "messageId": true,
}

// sessionFlag is the flag of Claude Code before the ID of a new session.
const sessionFlag = "--session-id"

// sessionIDs returns the values of sessionMembers, and of sessionFlag in a list, if they look
// random. The arguments of a tool are not searched: an ID in them selects what the tool works on.
func sessionIDs(text string) (values []Value) {
	previous := ""
	for s := exactjson.Scan(text); s.Next(); {
		isString := s.Token == exactjson.Scalar && s.Kind == exactjson.String && len(s.Path) > 0
		if !isString {
			continue
		}
		value := text[s.Start+1 : s.End-1]
		isNamed := sessionMembers[s.Path[len(s.Path)-1]] || previous == sessionFlag
		if isNamed && !isArgument(s.Path) && sessionID().MatchString(value) {
			values = append(values, Value{
				Start: s.Start + 1,
				End:   s.End - 1,
				Name:  kindToken + ":" + value,
				path:  strings.Join(s.Path, "/"),
			})
		}
		previous = value
	}
	return values
}

// isArgument reports whether a path is in the arguments of a tool of MCP.
func isArgument(path []string) bool {
	return len(path) > 2 && path[0] == "params" && path[1] == "arguments"
}
