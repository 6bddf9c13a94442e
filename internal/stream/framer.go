package stream

import "bytes"

// A Framer puts the frames of a stream together field by field, for the framings
// that are nothing but text around values. It does what [Framing.Write] does and
// reports false where that would be an error, or something else.
type Framer struct {
	text   *textFraming
	fields int  // of the frame so far
	raw    bool // the frame is its bytes
}

// A textFraming is how a framing surrounds the value of a field.
type textFraming struct {
	before      func(dst, name []byte) ([]byte, bool) // appends what stands before it
	after       string                                // stands behind it
	end         string                                // ends the frame
	most        int                                   // fields of a frame; 0 is any number
	neverInside string                                // two bytes that a value cannot have
}

// Stream begins a stream of the framing with this name.
func (f *Framer) Stream(name string) bool {
	*f = Framer{}
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
	if string(name) == Raw {
		f.raw = true
		return dst, f.fields == 1
	}
	return f.text.before(dst, name)
}

// Value appends what stands behind the value of the field that was begun last,
// which stands at dst[start:].
func (f *Framer) Value(dst []byte, start int) ([]byte, bool) {
	if f.raw {
		return dst, true
	}
	value, never := dst[start:], f.text.neverInside
	ok := bytes.IndexByte(value, never[0]) < 0 && bytes.IndexByte(value, never[1]) < 0
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
