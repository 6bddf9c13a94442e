package reports_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// checkDiff compares each line of the differences that a miss shows with the two requests.
func checkDiff(t *testing.T, diff string, recorded, edited *chatRequest, effect effect) {
	t.Helper()
	compared, ignored, _ := strings.Cut(diff, "  also different, but ignored when matching:\n")
	const temperature = "temperature\n      recorded: 0.5\n      incoming: 0.9\n"
	showsIgnored := ignored != ""
	if showsIgnored != effect.ignoredToo || showsIgnored && !strings.Contains(ignored, temperature) {
		t.Errorf("ignored when matching: %q", ignored)
	}
	shown := parseDiff(compared)
	if len(shown) == 0 {
		t.Error("no difference is shown")
	}
	for _, d := range shown {
		d.check(t, recorded, edited)
	}
}

// A difference is one field of a diff.
type difference struct {
	path         string // in the edited request
	recordedPath string // in the recorded request, where the same message or tool may have another number
	note         string // behind the path, such as "only in the recording"
	rows         string // the lines below
}

// parseDiff returns the fields of a diff, but not the lines that are about several of them.
func parseDiff(diff string) (list []difference) {
	blocks := regexp.MustCompile(`(?m)^  (\S.*)\n((?:    .*\n)*)`).FindAllStringSubmatch(diff, -1)
	for _, block := range blocks {
		head, rows := block[1], block[2]
		isRemark := strings.HasPrefix(head, "the incoming text lacks a value") || strings.HasPrefix(head, "and ")
		if isRemark {
			continue
		}
		place, note, _ := strings.Cut(head, ": ")
		path, recordedPath := cutRecordedPath(place)
		list = append(list, difference{path: path, recordedPath: recordedPath, note: note, rows: rows})
	}
	return list
}

// cutRecordedPath splits a place such as "messages/4/content (messages/2 in the recording)".
func cutRecordedPath(place string) (path, recordedPath string) {
	path, from, isElsewhere := strings.Cut(place, " (")
	from = strings.TrimSuffix(from, " in the recording)")
	if !isElsewhere || from == "" {
		return path, path
	}
	list := from[:strings.LastIndexByte(from, '/')+1] // messages/
	inList := strings.TrimPrefix(path, list)          // 4/content
	_, member, hasMember := strings.Cut(inList, "/")
	if hasMember {
		from += "/" + member
	}
	return path, from
}

// check compares a difference that is shown with the two requests.
func (d difference) check(t *testing.T, recorded, edited *chatRequest) {
	t.Helper()
	was, is := recorded.field(d.recordedPath), edited.field(d.path)
	if from, isMoved := strings.CutPrefix(d.note, "moved here from "); isMoved {
		if content := recorded.field(from); content == "" || content != is || from == d.path {
			t.Errorf("%s was not moved there from %s", d.path, from)
		}
		return
	}
	switch d.note {
	case "only in the incoming request":
		if is == "" || is == was || !d.showsStart(is) {
			t.Errorf("%s is not only in the incoming request, or not %q", d.path, is)
		}
	case "only in the recording":
		removed := recorded.field(d.path)
		if removed == "" || removed == is || !d.showsStart(removed) {
			t.Errorf("%s is not only in the recording, or not %q", d.path, removed)
		}
		was = removed
	default:
		if was == is {
			t.Errorf("%s does not differ", d.path)
		}
		shownWas, hasWas := d.value("recorded")
		shownIs, hasIs := d.value("incoming")
		if hasWas && hasIs && (!isPartOf(shownWas, was) || !isPartOf(shownIs, is)) {
			t.Errorf("%s is %q and was %q", d.path, is, was)
		}
	}
	// A change within a text is [-removed-] and {+added+}.
	for _, m := range regexp.MustCompile(`\[-(.*?)-\]|\{\+(.*?)\+\}`).FindAllStringSubmatch(d.rows, -1) {
		if !isPartOf(m[1], was) || !isPartOf(m[2], is) {
			t.Errorf("%s: the change %s", d.path, m[0])
		}
	}
}

// value returns the value of a row such as `recorded: "x"`.
func (d difference) value(label string) (value string, ok bool) {
	m := regexp.MustCompile(`(?m)^    ` + label + `: +(.*)$`).FindStringSubmatch(d.rows)
	if m == nil {
		return "", false
	}
	if text, err := strconv.Unquote(m[1]); err == nil {
		return text, true
	}
	return m[1], true
}

// showsStart reports whether the rows show a value, or the beginning of a long one.
func (d difference) showsStart(value string) bool {
	const enough = 12
	return strings.Contains(d.rows, value[:min(len(value), enough)])
}

// isPartOf reports whether a text that is shown is a value, or the parts of it around a difference.
func isPartOf(shown, value string) bool {
	for part := range strings.SplitSeq(shown, "…") {
		part, _, _ = strings.Cut(strings.Trim(part, `"`), `" (`)
		if text, err := strconv.Unquote(`"` + part + `"`); err == nil {
			part = text
		}
		if !strings.Contains(value, part) {
			return false
		}
	}
	return true
}

// field returns the text of a field, or "" if the request does not have it.
func (req *chatRequest) field(path string) string {
	segments := strings.Split(path, "/")
	last := segments[len(segments)-1]
	number := 0
	if len(segments) > 1 {
		number, _ = strconv.Atoi(segments[1])
	}
	switch segments[0] {
	case "model":
		return req.Model
	case "mood":
		return req.Mood
	case "header":
		return req.tenant
	case "messages":
		if number >= len(req.Messages) {
			return ""
		}
		if last == "role" {
			return req.Messages[number].Role
		}
		return req.Messages[number].Content
	case "tools":
		if number >= len(req.Tools) {
			return ""
		}
		if last == "name" || len(segments) < 3 {
			return req.Tools[number].Function.Name
		}
		return req.Tools[number].Function.Description
	}
	return ""
}
