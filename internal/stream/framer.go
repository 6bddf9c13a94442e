package stream

import "bytes"

// A Framer puts the frames of a stream together field by field, for the framings
// that are nothing but text around values. It does what [Framing.Write] does and
// reports false where that would be an error, or something else.
type Framer struct {
	text   *textFraming
	fields int  // of the frame so far
	raw    bool // the frame is its bytes

	name, before []byte // of the last field: most have one name
}

// Stream begins a stream of the framing with this name.
func (f *Framer) Stream(name string) bool {
	*f = Framer{name: f.name[:0], before: f.before[:0]}
	if framing, err := Lookup(name); err == nil {
		f.text = framing.text
	}
	return f.text != nil
}

// Field appends what stands before the value of the next field.
func (f *Framer) Field(dst, name []byte) ([]byte, bool) {
	f.fields++
	if f.raw || f.text.most > 0 && f.fields > f.text.most {
		return dst, false
	}
	switch {
	case len(f.before) > 0 && bytes.Equal(name, f.name):
		return append(dst, f.before...), true
	case string(name) == Raw:
		f.raw = true
		return dst, f.fields == 1
	}
	start := len(dst)
	dst, ok := f.text.before(dst, name)
	if ok {
		f.name, f.before = append(f.name[:0], name...), append(f.before[:0], dst[start:]...)
	}
	return dst, ok
}

// Value appends what stands behind the value of the field that was begun last,
// which stands at dst[start:] and may be known to be one line.
func (f *Framer) Value(dst []byte, start int, line bool) ([]byte, bool) {
	if f.raw {
		return dst, true
	}
	value := dst[start:]
	ok := line || bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0
	return append(dst, f.text.after...), ok
}

// End appends what ends the frame.
func (f *Framer) End(dst []byte) []byte {
	if !f.raw {
		dst = append(dst, f.text.end...)
	}
	f.fields, f.raw = 0, false
	return dst
}
