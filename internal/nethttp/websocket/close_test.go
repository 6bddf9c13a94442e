package websocket

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCloseData: a code and a reason that are written are read, the reason as long as a
// control frame can have it.
func TestCloseData(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code     int
		reason   string
		wantCode int
		want     string
	}{
		{CodeNormal, "", CodeNormal, ""},
		{CodeInternalError, "session expired", CodeInternalError, "session expired"},
		{4999, "é", 4999, "é"},
		{CodeNormal, strings.Repeat("a", 123), CodeNormal, strings.Repeat("a", 123)},
		{CodeNormal, strings.Repeat("a", 124), CodeNormal, strings.Repeat("a", 123)},
		{CodeNormal, strings.Repeat("é", 62), CodeNormal, strings.Repeat("é", 61)},
		{CodeNormal, "a" + strings.Repeat("é", 61), CodeNormal, "a" + strings.Repeat("é", 61)},
		{CodeNormal, strings.Repeat("😀", 31), CodeNormal, strings.Repeat("😀", 30)},
		{CodeNormal, "a\xffb", CodeNormal, "a\uFFFDb"},
		{CodeNoStatus, "not sent", CodeNoStatus, ""},
		{CodeAbnormal, "not sent", CodeNoStatus, ""},
		{1 << 16, "not sent", CodeNoStatus, ""},
		{-1, "not sent", CodeNoStatus, ""},
	} {
		data := CloseData(tt.code, tt.reason)
		if len(data) > maxControlData {
			t.Errorf("%d %q: %d bytes", tt.code, tt.reason, len(data))
		}
		code, reason, err := ParseClose(data)
		if code != tt.wantCode || reason != tt.want || err != nil {
			t.Errorf("%d %q: %d %q, %v", tt.code, tt.reason, code, reason, err)
		}
	}
	if data := CloseData(1001, "away"); string(data) != "\x03\xe9away" {
		t.Errorf("%q", data)
	}
}

// TestCloseCodes: the codes that may be in a frame, as RFC 6455, section 7.4, and the
// registry of IANA have them.
func TestCloseCodes(t *testing.T) {
	t.Parallel()
	allowed := map[int]bool{}
	for _, r := range [][2]int{{1000, 1003}, {1007, 1014}, {3000, 4999}} {
		for code := r[0]; code <= r[1]; code++ {
			allowed[code] = true
		}
	}
	for code := range 1 << 16 {
		data := []byte{byte(code >> 8), byte(code)}
		got, _, err := ParseClose(data)
		if (err == nil) != allowed[code] || allowed[code] && got != code {
			t.Errorf("%d: read as %d, %v", code, got, err)
		}
		if written := CloseData(code, ""); allowed[code] != bytes.Equal(written, data) {
			t.Errorf("%d: written as %x", code, written)
		}
	}
}

// TestParseCloseErrors: an error has the offset in the data.
func TestParseCloseErrors(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]ProtocolError{
		"\x03":               {CodeProtocolError, 0, "the data of a Close frame has one byte"},
		"\x00\x00":           {CodeProtocolError, 0, "close code 0 must not be in a frame"},
		"\x03\xe8ok\xff":     {CodeInvalidData, 4, "the reason of a Close frame is not UTF-8"},
		"\x03\xe8ok\xc3":     {CodeInvalidData, 5, "the reason of a Close frame is not UTF-8"},
		"\x03\xe8ok\xe2\x82": {CodeInvalidData, 6, "the reason of a Close frame is not UTF-8"},
	} {
		_, _, err := ParseClose([]byte(data))
		var violation *ProtocolError
		if !errors.As(err, &violation) || *violation != want {
			t.Errorf("%q: %v, want %v", data, err, &want)
		}
	}
}

// TestControlFrameTooLong: a control frame that no peer would take is a mistake of the
// caller.
func TestControlFrameTooLong(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a ping with 126 bytes was written")
		}
	}()
	AppendFrame(nil, Ping, make([]byte, 125))
	AppendFrame(nil, Ping, make([]byte, 126))
}

// FuzzScanUTF8: a text is checked as package utf8 checks it, in one piece and in two.
func FuzzScanUTF8(f *testing.F) {
	for _, text := range []string{"", "a", "é", "a\xff", "\xe2\x82", "\xe2\x82\xe2\x82", "\xed\xa0\x80", "\xf0\x9f\x98\x80\xf0\x9f", "\x80\x80\x80\x80", "\uFFFD"} {
		f.Add([]byte(text), 1)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		n, ok := scanUTF8(text, true)
		if ok != utf8.Valid(text) || ok && n != len(text) {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
		if !ok && n < len(text) && canContinue(text[:n+1]) {
			t.Errorf("%q: byte %d can follow the bytes before it", text, n)
		}
		if !canContinue(text[:n]) {
			t.Errorf("%q: the first %d bytes are not the beginning of a text", text, n)
		}

		cut = min(max(cut, 0), len(text))
		whole, firstOK := scanUTF8(text[:cut], false)
		if !firstOK {
			if ok || whole != n {
				t.Errorf("%q: %d in the first %d bytes, and %d, %v in all", text, whole, cut, n, ok)
			}
			return
		}
		rest, restOK := scanUTF8(text[whole:], true)
		if whole+rest != n || restOK != ok {
			t.Errorf("%q cut at %d: %d, %v, want %d, %v", text, cut, whole+rest, restOK, n, ok)
		}
	})
}

// canContinue reports whether a text is valid UTF-8, or becomes so with other bytes.
func canContinue(text []byte) bool {
	for _, more := range []string{"", "\x80", "\x80\x80", "\x80\x80\x80", "\xa0\x80", "\x90\x80\x80"} {
		if utf8.Valid(append(bytes.Clone(text), more...)) {
			return true
		}
	}
	return false
}
