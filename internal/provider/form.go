package provider

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
)

// upload is a file of a multipart form.
type upload struct {
	field string
	name  string
	data  []byte
}

// readForm reads a multipart body: values into body, as strings, and files. It
// is false for what is no such form.
func (c *call) readForm() bool {
	kind, params, err := mime.ParseMediaType(c.header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return false
	}
	r := multipart.NewReader(bytes.NewReader(c.raw), params["boundary"])
	c.body = object{}
	for {
		part, err := r.NextRawPart()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return false
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return false
		}
		if part.FileName() != "" {
			c.files = append(c.files, upload{part.FormName(), part.FileName(), data})
			continue
		}
		c.body = append(c.body, field{part.FormName(), string(data)})
	}
}
