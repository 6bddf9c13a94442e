package suite

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// readAttr adds an attribute of a recorder to what the recorders of a test did. It reports
// whether the attribute is one of package attr and is valid.
func readAttr(d *attr.Done, key, value string) bool {
	switch key {
	case attr.CassetteKey:
		d.Cassettes = append(d.Cassettes, value)
		return true
	case attr.SavedKey:
		d.Saved = append(d.Saved, value)
		return true
	case attr.CodeKey:
		d.AddCode(finding.Code(value))
		return true
	case attr.OtherKey:
		var other attr.OtherAnswer
		err := json.Unmarshal([]byte(value), &other)
		d.Others = append(d.Others, other)
		return err == nil
	case attr.CauseKey:
		var c attr.Cause
		err := json.Unmarshal([]byte(value), &c)
		d.Causes = append(d.Causes, c)
		return err == nil
	case attr.ModelKey:
		var m attr.ModelTokens
		err := json.Unmarshal([]byte(value), &m)
		d.Models = append(d.Models, m)
		return err == nil
	}
	for name, n := range d.All() {
		if name == key {
			v, err := strconv.ParseInt(value, 10, 64)
			*n += v
			return err == nil
		}
	}
	return false
}

// ReadDone returns the content of the files that recorders have written to the folder of
// [attr.Env]. It ignores temporary and empty files, which killed processes have left.
func ReadDone(dir string) (all []attr.Done, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if atomicfile.IsTemporary(e.Name()) {
			continue
		}
		data, rerr := os.ReadFile(filepath.Join(dir, e.Name()))
		var d attr.Done
		if rerr == nil && len(data) > 0 {
			rerr = json.Unmarshal(data, &d)
			all = append(all, d)
		}
		err = errors.Join(err, rerr)
	}
	return all, err
}
