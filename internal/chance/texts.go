package chance

import (
	"regexp"

	"github.com/promptecho/promptecho/internal/memo"
)

// A Mask rewrites volatile text in field values before they are compared.
type Mask struct {
	Regexp      *regexp.Regexp
	Placeholder string
	ByChance    bool // it is for what changes by chance, and no name of a model or a version does
}

// Changing is text that changes from run to run although it means the same to a model, or
// nothing. What an expression matches becomes the placeholder.
type Changing struct {
	Option string // the option that masks it, as code; "" if there is none but Mask
	Mask   func() Mask
}

// ChangingTexts lists what a report looks for in a text that differs: the first of them
// that explains a difference is proposed. Paths stand first, because their digits may look like times.
var ChangingTexts = []Changing{
	{"MaskTempDirs()", TempDirs},
	{"", masked(memo.Regexp(`(?:/home|/Users)/[^/\s"']+|/root\b|\b[A-Za-z]:[/\\]Users[/\\][^/\\\s"']+`), "HOME")},
	{"", masked(memo.Regexp(`\b(?:127\.0\.0\.1|localhost|\[::1\]):\d+`), "ADDRESS")},
	{"MaskTimes()", Times},
	{"MaskUUIDs()", UUIDs},
	{"", masked(memo.Regexp(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`), "ULID")},
	{"", masked(memo.Regexp(`\b[0-9a-f]{16,64}\b`), "HEX")},
}

// Times masks dates and times: RFC 3339 and its kin, what package time has layouts for
// and what [time.Time.String] writes, dates and times of day as people write them, and
// Unix times of this century in text.
var Times = masked(memo.Regexp(`\b(?:`+
	// 2026-01-02T03:04:05.6Z, 2026-01-02 03:04:05.6 +0100 CET m=+0.7, 2026-01-02
	`\d{4}[-/]\d\d[-/]\d\d(?:[T ]`+clock+`(?:[.,]\d+)?(?: ?(?:Z\b|[+-]\d\d:?\d\d))?(?: (?:[A-Z]{3,4}\b|[+-]\d\d(?:\d\d)?\b))?(?: m=[+-]\d+\.\d+)?)?|`+
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
	`(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)`), "TIME")

// The parts of dates and times.
const (
	clock   = `\d\d?:\d\d(?::\d\d)?`
	zone    = `(?: (?:[A-Z]{3,4}\b|[+-]\d{4}\b))?`
	weekday = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)`
	month   = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b`
)

// IsUnixTime reports whether a number is a time between 2001 and 2033, in seconds,
// milliseconds, microseconds or nanoseconds.
func IsUnixTime(number string) bool { return unixTime().MatchString(number) }

var unixTime = memo.Regexp(`^1\d{9}(\d{3}|\d{6}|\d{9})?$`)

// UUIDs masks UUIDs (RFC 9562), in lower and upper case.
var UUIDs = masked(memo.Regexp(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "UUID")

// TempDirs masks where temporary files are: the folder of the system (/tmp, /var/tmp,
// macOS's below /var/folders, Windows's below AppData) and the random digits that
// [testing.T.TempDir], [os.MkdirTemp] and [os.CreateTemp] append to a name. The names of
// folders and files remain, and so do the digits of a name with a blank: what stands behind
// the blank may be the rest of a sentence, whose digits mean something.
var TempDirs = masked(memo.Regexp(`(^|[^\w.~-])(?:(?:/private)?/var/folders/[\w+]+/[\w+]+/T|(?:/private)?/(?:var/)?tmp|[A-Za-z]:[/\\]Users[/\\][^/\\"'\r\n]+[/\\]AppData[/\\]Local[/\\]Temp)[/\\](?:([^/\\\s"'.]*?)\d{3,})?`), "${1}TMP/$2")

// masked returns a function that makes a mask: an expression is compiled when it is needed.
func masked(expr func() *regexp.Regexp, placeholder string) func() Mask {
	return func() Mask { return Mask{expr(), placeholder, true} }
}
