package rewrite

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/cassette"
)

// Save writes f to path as [cassette.Contents.Save] does. Before anything is replaced, what would
// be written is read and must give f again.
func Save(path string, f *cassette.File) error {
	c, err := contentsOf(f)
	if err != nil {
		return fmt.Errorf("%s: not saved: cassette: %w", path, err)
	}
	return c.Save(path)
}

// contentsOf returns f as it is to be saved.
func contentsOf(f *cassette.File) (*cassette.Contents, error) {
	c := &cassette.Contents{Pinned: f.Pinned, Partial: f.Partial}
	var err error
	c.RecordedValues, err = cassette.EncodeRecordedValues(&f.RecordedValues)
	if err != nil {
		return nil, err
	}
	for i, it := range f.Interactions {
		item, err := cassette.Encode(it, f.Revision)
		if err != nil {
			return nil, fmt.Errorf("interaction %d: %w", i+1, err)
		}
		c.Items = append(c.Items, item)
	}
	return c, nil
}
