package chance

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// A Mask rewrites volatile text in field values before they are compared.
type Mask struct {
	Regexp      *regexp.Regexp
	Placeholder string
	ByChance    bool   // it masks values that differ by chance, so never the name of a model or version
	Option      string // the option that has set it, as code; "" for Mask
	IsPath      bool   // it matches a path to its end: separators of Windows become slashes
}

// Replace returns a text with the matches of the mask replaced.
func (m *Mask) Replace(s string) string {
	if !m.IsPath {
		return m.Regexp.ReplaceAllString(s, m.Placeholder)
	}
	return m.Regexp.ReplaceAllStringFunc(s, func(path string) string {
		path = m.Regexp.ReplaceAllString(path, m.Placeholder)
		return strings.ReplaceAll(path, `\`, "/")
	})
}

// Masked returns a text with the matches of all masks replaced.
func Masked(masks []Mask, s string) string {
	for i := range masks {
		s = masks[i].Replace(s)
	}
	return s
}

// A Changing is a kind of text that changes from run to run, but not in its meaning for a
// model.
type Changing struct {
	Option string // the name of the option that masks it; "" if only Mask does
	Masks  func() []Mask
}

// ChangingTexts are the kinds that a report looks for in a text that differs. It proposes the
// first one that explains the difference. Paths are first, because their digits may look
// like times.
var ChangingTexts = []Changing{
	{"MaskTempDirs", MachinePaths},
	{"", masked(Mask{Placeholder: "ADDRESS"}, memo.Regexp(`\b(?:127\.0\.0\.1|localhost|\[::1\]):\d+`))},
	{"MaskTimes", Times},
	{"MaskUUIDs", UUIDs},
	{"", masked(Mask{Placeholder: "ULID"}, memo.Regexp(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`))},
	{"", masked(Mask{Placeholder: "HEX"}, memo.Regexp(`\b[0-9a-f]{16,64}\b`))},
}

// Times masks dates and times: RFC 3339 and its kin, what package time has layouts for
// and what [time.Time.String] writes, dates and times of day as people write them, and
// Unix times of this century in text.
func Times() []Mask { return times() }

var times = masked(Mask{Placeholder: "TIME"}, memo.Regexp(`\b(?:`+
	// 2026-01-02T03:04:05.6Z, 2026-01-02 03:04:05.6 +0100 CET m=+0.7, 2026-01-02
	`\d{4}[-/]\d\d[-/]\d\d(?:[T ]`+clock+`(?:[.,]\d+)?(?: ?(?:Z\b|[+-]\d\d:?\d\d))?`+
	`(?: (?:[A-Z]{3,4}\b|[+-]\d\d(?:\d\d)?\b))?(?: m=[+-]\d+\.\d+)?)?|`+
	// Fri, 02 Jan 2026 03:04:05 GMT; Friday, 02-Jan-26 03:04:05 UTC; Friday, 2 January 2026
	`(?:`+weekday+`,? )?\d{1,2}(?:st|nd|rd|th)?[ -]`+month+`(?:,? |-)(?:\d{4}|\d\d)\b(?: `+clock+zone+`)?|`+
	// Fri Jan  2 03:04:05 CET 2026; Friday, January 2nd, 2026; January 2
	`(?:`+weekday+`,? )?`+month+` {1,2}\d{1,2}(?:st|nd|rd|th)?\b(?: `+clock+`(?:[.,]\d+)?`+zone+`)?(?:,? \d{4}\b)?|`+
	// January 2026; 1/2/2026; 02.01.2026
	month+` \d{4}\b|\d{1,2}/\d{1,2}/\d{4}\b|\d{1,2}\.\d{1,2}\.\d{4}\b|`+
	// 3:04PM; 03:04:05.678
	clock+`(?:[.,]\d+)? ?(?:[AaPp][Mm]\b|[AaPp]\.[Mm]\.)|`+clock+`\b(?:[.,]\d+)?|`+
	// 1767323045 in seconds, milliseconds, microseconds or nanoseconds
	`1\d{9}(?:\d{3}|\d{6}|\d{9})?\b|`+
	`(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)`))

// The parts of dates and times.
const (
	clock   = `\d\d?:\d\d(?::\d\d)?`
	zone    = `(?: (?:[A-Z]{3,4}\b|[+-]\d{4}\b))?`
	weekday = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)`
	month   = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|` +
		`Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b`
)

// IsUnixTime reports whether a number is a time between 2001 and 2033, in seconds,
// milliseconds, microseconds or nanoseconds.
func IsUnixTime(number string) bool { return unixTime().MatchString(number) }

var unixTime = memo.Regexp(`^1\d{9}(\d{3}|\d{6}|\d{9})?$`)

// UUIDs masks UUIDs (RFC 9562), in lower and upper case.
func UUIDs() []Mask { return uuids() }

var uuids = masked(Mask{Placeholder: "UUID"},
	memo.Regexp(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`))

// MachinePaths masks the parts of a path that differ between machines, so that the rest can
// be compared:
//
//   - The folder for temporary files (/tmp, /var/tmp, macOS's below /var/folders, Windows's below
//     AppData), and the random digits that [testing.T.TempDir], [os.MkdirTemp] and
//     [os.CreateTemp] append to a name. The digits of a name with a space stay: the text after
//     the space may be the rest of a sentence, whose digits have a meaning.
//   - The folder of the checkout: that of this machine, and any below a home folder that has the
//     name of this one, or the name that ends the path of the module.
//   - The home folder of a user, on Linux, macOS and Windows.
//
// The separators of Windows become slashes in such a path.
func MachinePaths() []Mask {
	masks := Checkouts(checkout())
	masks = append(masks, tempDirs()...)
	return append(masks, homes()...)
}

// MachinePath returns the first path in a text that is of one machine: a path below the home
// folder of a user, or in a folder for temporary files. It returns "" if there is none.
func MachinePath(text string) string {
	first, at := "", len(text)
	for _, m := range append(tempDirs(), homes()...) {
		where := m.Regexp.FindStringSubmatchIndex(text)
		if where == nil {
			continue
		}
		start, end := where[3], where[1] // start is the end of the group of beforePath
		if start < at {
			first = text[start:end]
			at = start
		}
	}
	return first
}

// Parts of the expressions for paths.
const (
	beforePath = `(^|[^\w.~-])`    // the character before a path
	restOfPath = `([^\s"'<>|*?]*)` // to its end
	home       = `(?:/home/[^/\\\s"']+|/Users/[^/\\\s"']+|/root\b|[A-Za-z]:[/\\](?i:Users)[/\\][^/\\\s"']+)`
)

var (
	tempDirs = masked(Mask{Placeholder: "${1}TMP/$2$3", IsPath: true}, memo.Regexp(beforePath+
		`(?:(?:/private)?/var/folders/[\w+]+/[\w+]+/T|(?:/private)?/(?:var/)?tmp|`+
		`[A-Za-z]:[/\\](?i:Users)[/\\][^/\\"'\r\n]+[/\\](?i:AppData[/\\]Local[/\\]Temp))`+
		`[/\\](?:([^/\\\s"'.]*?)\d{3,})?`+restOfPath))
	homes = masked(Mask{Placeholder: "${1}HOME$2", IsPath: true}, memo.Regexp(beforePath+home+restOfPath))
)

// Checkouts masks the folder of the checkout, on this machine and on others. root is its folder
// here, and module the path of the module; both may be empty.
func Checkouts(root, module string) (masks []Mask) {
	if root == "" {
		return nil
	}
	placeholder := Mask{Placeholder: "${1}CHECKOUT$2", ByChance: true, IsPath: true}

	here := placeholder
	separated := strings.ReplaceAll(regexp.QuoteMeta(filepath.ToSlash(root)), "/", `[/\\]`)
	here.Regexp = regexp.MustCompile(`(?i)` + beforePath + separated + `\b` + restOfPath)

	names := []string{filepath.Base(root), path.Base(majorVersion().ReplaceAllString(module, ""))}
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	elsewhere := placeholder
	anyFolders := `(?:[/\\][^/\\\s"']+)*?`
	checkoutFolder := `(?:[/\\](?:` + strings.Join(names, "|") + `))+\b`
	elsewhere.Regexp = regexp.MustCompile(beforePath + home + anyFolders + checkoutFolder + restOfPath)
	return []Mask{here, elsewhere}
}

// majorVersion matches the end of a module's path that says its major version.
var majorVersion = memo.Regexp(`/v\d+$`)

// checkout returns the folder of the module that the program runs in, and the module's path.
func checkout() (root, module string) {
	dir, err := os.Getwd()
	if err != nil {
		return "", ""
	}
	root = shell.Upward(dir, "go.mod")
	if root == "" {
		return "", ""
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return root, ""
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return root, strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return root, ""
}

// masked returns a function that returns m with an expression. The expression is compiled
// on the first call.
func masked(m Mask, expr func() *regexp.Regexp) func() []Mask {
	m.ByChance = true
	return func() []Mask {
		compiled := m
		compiled.Regexp = expr()
		return []Mask{compiled}
	}
}
