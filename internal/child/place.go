package child

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/memo"
)

// The marks that stand for paths of this machine in a cassette. A mark with the ending
// resolvedMark stands for the path without symbolic links, where that is another one.
const (
	markPrefix   = "$PROMPTECHO_"
	markDir      = markPrefix + "DIR"
	markModule   = markPrefix + "MODULE"
	markHome     = markPrefix + "HOME"
	markTemp     = markPrefix + "TEMP"
	resolvedMark = "_RESOLVED"
)

// A Place has the paths of this machine that a cassette must not have, since they differ on the next
// one:
//
//	mark                path
//	$PROMPTECHO_DIR     the working directory of the process
//	$PROMPTECHO_MODULE  the folder of the go.mod above it
//	$PROMPTECHO_HOME    the home directory
//	$PROMPTECHO_TEMP    the folder of temporary files
type Place struct {
	paths []markedPath // the longest path first
}

// A markedPath is a path and its mark.
type markedPath struct {
	path       string
	mark       string
	isResolved bool // the mark is of the path without symbolic links
}

// NewPlace returns the place of a process with this working directory.
func NewPlace(dir string) *Place {
	home, _ := os.UserHomeDir() // without a home directory, there is nothing to mask
	return newPlace(map[string]string{
		markDir:    dir,
		markModule: moduleOf(dir),
		markHome:   home,
		markTemp:   os.TempDir(),
	})
}

// newPlace returns a place with these paths, by their marks.
func newPlace(paths map[string]string) *Place {
	p := &Place{}
	for _, mark := range []string{markDir, markModule, markHome, markTemp} {
		path := paths[mark]
		if !isMaskable(path) {
			continue
		}
		path = filepath.Clean(path)
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			resolved = path
		}
		p.paths = append(p.paths, markedPath{path, mark, false}, markedPath{resolved, mark, true})
	}
	// Stable, so that the first mark of the list counts if two have the same path.
	slices.SortStableFunc(p.paths, func(a, b markedPath) int {
		return cmp.Compare(len(b.path), len(a.path))
	})
	return p
}

// isMaskable reports whether a path is one of this machine. The root is the same on each.
func isMaskable(path string) bool {
	return filepath.IsAbs(path) && filepath.Dir(path) != filepath.Clean(path)
}

// moduleOf returns the folder of the go.mod above a folder, or else above the working directory of
// this process; "" if there is none.
func moduleOf(dir string) string {
	working, err := os.Getwd()
	if err != nil {
		working = dir
	}
	for _, from := range []string{dir, working} {
		for isMaskable(from) {
			_, err := os.Stat(filepath.Join(from, "go.mod"))
			if err == nil {
				return from
			}
			from = filepath.Dir(from)
		}
	}
	return ""
}

// without returns the place without a mark.
func (p *Place) without(mark string) *Place {
	isOfMark := func(m markedPath) bool { return m.mark == mark }
	return &Place{paths: slices.DeleteFunc(slices.Clone(p.paths), isOfMark)}
}

// MaskReceived returns a text that the process wrote with marks in the place of paths. Unmask is its
// reverse.
func (p *Place) MaskReceived(text string) string {
	masked := p.mask(text, func(m markedPath) string {
		if m.isResolved {
			return m.mark + resolvedMark
		}
		return m.mark
	})
	if p.Unmask(masked) != text {
		return text
	}
	return masked
}

// MaskSent returns a text for the process with marks in the place of paths. Both spellings of a path
// have the same mark, since another machine may have only one.
func (p *Place) MaskSent(text string) string {
	return p.mask(text, func(m markedPath) string { return m.mark })
}

// mask replaces the paths in a text.
func (p *Place) mask(text string, markOf func(markedPath) string) string {
	isJSON := p.isJSON(text)
	for _, m := range p.paths {
		path := spelled(m.path, isJSON)
		text = replaceWhere(text, path, markOf(m), isWholePath)
	}
	return text
}

// Unmask returns a masked text with the paths of this machine.
func (p *Place) Unmask(text string) string {
	if !strings.Contains(text, markPrefix) {
		return text
	}
	isJSON := p.isJSON(text)
	for _, m := range p.paths {
		mark := m.mark
		if m.isResolved {
			mark += resolvedMark
		}
		text = replaceWhere(text, mark, spelled(m.path, isJSON), isWholeMark)
	}
	return text
}

// isJSON reports whether paths in a text are spelled as in JSON. It is false if that makes no
// difference.
func (p *Place) isJSON(text string) bool {
	differs := func(m markedPath) bool { return spelled(m.path, true) != m.path }
	mayBeJSON := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	return mayBeJSON && slices.ContainsFunc(p.paths, differs) && json.Valid([]byte(text))
}

// jsonPath spells a path as JSON encoders do.
var jsonPath = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// spelled returns a path as a text has it.
func spelled(path string, inJSON bool) string {
	if inJSON {
		return jsonPath.Replace(path)
	}
	return path
}

// FirstMark returns the first mark that a text has, or "".
func FirstMark(text string) string { return anyMark().FindString(text) }

var anyMark = memo.Regexp(`\$PROMPTECHO_(?:DIR|MODULE|HOME|TEMP)(?:_RESOLVED)?\b`)

// replaceWhere replaces each occurrence of a text that is one by what is before and after it.
func replaceWhere(text, old, new string, isOne func(before, after string) bool) string {
	if !strings.Contains(text, old) {
		return text
	}
	var out strings.Builder
	done := 0
	for {
		i := strings.Index(text[done:], old)
		if i < 0 {
			out.WriteString(text[done:])
			return out.String()
		}
		begin := done + i
		end := begin + len(old)
		out.WriteString(text[done:begin])
		if isOne(text[:begin], text[end:]) {
			out.WriteString(new)
		} else {
			out.WriteString(old)
		}
		done = end
	}
}

// isWholeMark reports whether a mark ends before the text that follows it.
func isWholeMark(_, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return after == "" || next != '_' && !isLetterOrDigit(next)
}

// isWholePath reports whether a path between two texts is a path of its own, or the beginning of
// one: /root is in "/root/x" and "in /root.", but not in "/rootfs", "/root.bak" and "/x/root".
func isWholePath(before, after string) bool {
	return endsBeforePath(before) && !continuesName(after)
}

// continuesName reports whether a text goes on with the name of a file that has begun before it.
func continuesName(after string) bool {
	next, size := utf8.DecodeRuneInString(after)
	if next == '.' {
		following, _ := utf8.DecodeRuneInString(after[size:])
		return isLetterOrDigit(following)
	}
	return after != "" && isOfName(next)
}

// endsBeforePath reports whether a path may begin after a text.
func endsBeforePath(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	switch {
	case before == "":
		return true
	case strings.HasSuffix(before, "://"):
		return true // a URL of a file
	case last == '/':
		return false
	case !isOfName(last) && last != '.':
		return true
	}
	// The letter may belong to an escape of JSON: \n.
	isEscape := strings.ContainsRune("bfnrt", last)
	slashes := before[:len(before)-size]
	count := len(slashes) - len(strings.TrimRight(slashes, `\`))
	return isEscape && count%2 == 1
}

// isOfName reports whether a character can be in the name of a file, and not at its end in a text.
func isOfName(r rune) bool {
	return isLetterOrDigit(r) || strings.ContainsRune("_-+@~%", r)
}

func isLetterOrDigit(r rune) bool {
	isInvalid := r == utf8.RuneError
	return !isInvalid && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
