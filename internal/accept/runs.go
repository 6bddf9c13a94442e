package accept

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/missed"
)

// ReadRuns reads the runs that tests have written into a folder, since they sent requests
// without a recording. The runs are sorted by cassette.
func ReadRuns(dir string) (runs []missed.Run, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), missed.Suffix) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		var r missed.Run
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("the missed requests that a test wrote for promptecho accept "+
				"cannot be read: %w. Does the module require another version of promptecho?", err)
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b missed.Run) int {
		return strings.Compare(a.Cassette, b.Cassette)
	})
	return runs, nil
}

// RequestOf returns the request of a missed call, as an interaction. Only the request of the
// interaction has a meaning.
func RequestOf(c *missed.Call) (*interaction.Interaction, error) {
	readAsset := func(name string) ([]byte, error) {
		if content, ok := c.Assets[name]; ok {
			return content, nil
		}
		return nil, fs.ErrNotExist
	}
	return codec.ParseItem("a missed request", c.Text, readAsset, nil)
}
