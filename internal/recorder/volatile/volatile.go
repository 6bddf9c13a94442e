// Package volatile finds texts in a request that differ on another day or another machine. A
// test with such a request records and replays today, and misses later. A note in the run that
// records lets its user mend the test at once.
package volatile

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// A Kind is a kind of volatile text.
type Kind string

// The kinds.
const (
	Date     Kind = "today's date"
	Time     Kind = "the present time"
	Checkout Kind = "the folder of the checkout"
	TempDir  Kind = "the folder for temporary files"
	Home     Kind = "the home folder of the user"
	User     Kind = "the name of the user"
	Host     Kind = "the name of the machine"
)

// A Finding is a volatile text.
type Finding struct {
	Kind  Kind
	Text  string // as the request has it
	Field string // the path of its field, as options take it
}

// A Finder finds volatile texts. Its fields are the names and folders of this machine.
type Finder struct {
	checkout string
	tempDir  string
	home     string
	user     string
	host     string
}

// New returns a Finder for the machine that the program runs on.
func New() *Finder {
	f := &Finder{tempDir: filepath.Clean(os.TempDir())}
	if dir, err := os.Getwd(); err == nil {
		f.checkout = shell.Upward(dir, "go.mod")
	}
	home, err := os.UserHomeDir()
	isRoot := filepath.Clean(home) == string(filepath.Separator)
	if err == nil && !isRoot {
		f.home = filepath.Clean(home)
	}
	for _, name := range []string{"USER", "USERNAME", "LOGNAME"} {
		if f.user == "" && isDistinctive(os.Getenv(name)) {
			f.user = os.Getenv(name)
		}
	}
	if host, err := os.Hostname(); err == nil && isDistinctive(host) {
		f.host = host
	}
	return f
}

// commonNames are frequent names of users and machines, which prompts also contain for other
// reasons.
var commonNames = []string{
	"admin", "build", "builder", "buildkite", "circleci", "codespace", "container", "debian",
	"developer", "docker", "gitlab-runner", "gitpod", "jenkins", "laptop", "localhost",
	"macbook", "node", "nobody", "root", "runner", "server", "test", "tests", "ubuntu",
	"user", "vagrant", "vscode", "worker",
}

// isDistinctive reports whether a name is long and rare enough to be looked for in texts.
func isDistinctive(name string) bool {
	return len(name) >= 4 && !slices.Contains(commonNames, strings.ToLower(name))
}

// longestSearched is the length in bytes of the longest text that is searched. Longer texts are
// usually the contents of files.
const longestSearched = 1 << 20

// InForm returns the volatile texts in the form of a request, field by field. A form has what
// matching compares, so what the options mask or ignore is not found. If now is the zero time,
// dates and times are not looked for.
func (f *Finder) InForm(form *canon.Form, now time.Time) (all []Finding) {
	spelled := spellingsOf(now)
	for _, line := range form.Lines() {
		text, isText := exactjson.Unquote(line.Value)
		if !isText {
			text = line.Value
		}
		if len(text) > longestSearched {
			continue
		}
		for _, found := range f.find(text, spelled) {
			found.Field = fieldpath.Selector(line.Path)
			all = append(all, found)
		}
	}
	return all
}

// Find returns the volatile texts in the text of a field, at most one of each kind. If now is the
// zero time, dates and times are not looked for.
func (f *Finder) Find(text string, now time.Time) []Finding {
	return f.find(text, spellingsOf(now))
}

// find is Find, for a time whose spellings are known.
func (f *Finder) find(text string, now *spellings) (found []Finding) {
	add := func(kind Kind, part string) {
		if part != "" {
			found = append(found, Finding{Kind: kind, Text: part})
		}
	}
	if now != nil {
		add(Date, findFirst(text, now.dates))
		add(Time, now.findTime(text))
	}

	// One folder may be inside another. Report only the inner one.
	for _, folder := range []struct {
		kind Kind
		path string
	}{{Checkout, f.checkout}, {TempDir, f.tempDir}, {Home, f.home}} {
		if path := findPath(text, folder.path); path != "" {
			add(folder.kind, path)
			break
		}
	}
	add(User, findWord(text, f.user))
	add(Host, findWord(text, f.host))
	return found
}

// dateLayouts are the usual layouts of a date. A layout is before those that are a part of it.
var dateLayouts = []string{
	"Monday, January 2, 2006", "Monday, 2 January 2006", "January 2, 2006", "2 January 2006",
	"Mon, 02 Jan 2006", "Monday, 02-Jan-06", "Mon Jan _2",
	"Jan 2, 2006", "2 Jan 2006", "02 Jan 2006",
	"2006-01-02T15", time.DateOnly, "2006/01/02", "20060102",
	"01/02/2006", "02/01/2006", "1/2/2006", "2/1/2006",
	"02.01.2006", "2.1.2006",
}

// timeLayouts are the usual layouts of the time of day, with hours and minutes.
var timeLayouts = []string{"15:04", time.Kitchen, "3:04 PM"}

// spellings are the ways in which a text can have the present time. To write a time in all
// layouts takes longer than to search a prompt for them, so it is done once for a request.
type spellings struct {
	now   time.Time
	dates []string // today's date, in UTC and in the local time zone
	times []string // the time of day
}

// spellingsOf returns how a text may have a time: the date and the time of day, in all
// layouts. It returns nil for the zero time. Find looks for them in texts of requests.
func spellingsOf(now time.Time) *spellings {
	if now.IsZero() {
		return nil
	}
	s := &spellings{now: now}
	for _, layout := range dateLayouts {
		s.dates = append(s.dates, now.UTC().Format(layout), now.Local().Format(layout))
	}
	for _, layout := range timeLayouts {
		for _, zoned := range []time.Time{now.UTC(), now.Local()} {
			// A program may have written the time a moment ago, before the minute ended. A day
			// ends too seldom to count.
			s.times = append(s.times, zoned.Format(layout), zoned.Add(-time.Minute).Format(layout))
		}
	}
	return s
}

// findFirst returns the first of some words that a text has, or "".
func findFirst(text string, words []string) string {
	for _, word := range words {
		if findWord(text, word) != "" {
			return word
		}
	}
	return ""
}

// near is the greatest difference between a Unix time in a text and the present time. Tests
// rarely take longer to make and send a request.
const near = 10 * time.Minute

// findTime returns the present time as it is in the text: a Unix time, or the time of day with
// hours and minutes. It returns "" if the text has neither.
func (s *spellings) findTime(text string) string {
	for _, number := range unixTimes().FindAllString(text, -1) {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			continue
		}
		units := map[int]func(int64) time.Time{
			10: func(n int64) time.Time { return time.Unix(n, 0) },
			13: time.UnixMilli,
			16: time.UnixMicro,
			19: func(n int64) time.Time { return time.Unix(0, n) },
		}
		if s.now.Sub(units[len(number)](n)).Abs() < near {
			return number
		}
	}
	return findFirst(text, s.times)
}

// unixTimes matches times of this century in seconds, milliseconds, microseconds and
// nanoseconds.
var unixTimes = memo.Regexp(`\b1\d{9}(?:\d{3}|\d{6}|\d{9})?\b`)

// findPath returns the path of a folder as it is in the text, or "" if the text does not have it.
// On Windows, upper and lower case and both separators are the same.
func findPath(text, folder string) string {
	if len(folder) < 2 {
		return ""
	}
	fold := func(s string) string { return s }
	if filepath.Separator == '\\' {
		fold = func(s string) string { return strings.ToLower(filepath.ToSlash(s)) }
	}
	i := indexWord(fold(text), fold(folder))
	if i < 0 {
		return ""
	}
	return text[i : i+len(folder)]
}

// findWord returns a word if the text has it as a whole word, else "".
func findWord(text, word string) string {
	if word == "" || indexWord(text, word) < 0 {
		return ""
	}
	return word
}

// indexWord returns the offset of the first occurrence of word in the text that has no letter,
// digit, "_" or "-" next to it, or -1.
func indexWord(text, word string) int {
	from := 0
	for {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		start := from + i
		end := start + len(word)
		beginsWord := start == 0 || !isOfWord(text[start-1])
		endsWord := end == len(text) || !isOfWord(text[end])
		if beginsWord && endsWord {
			return start
		}
		from = start + 1
	}
}

// isOfWord reports whether a byte is a part of a word. Bytes from 0x80 are of letters of other
// alphabets.
func isOfWord(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '_' || c == '-' || c >= 0x80
}
