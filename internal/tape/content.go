package tape

import (
	"io/fs"
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// maxPeeked is the length in bytes of the texts of forms that Peek keeps.
const maxPeeked = 16 << 20

// Interaction returns what was recorded. If that cannot be read, because its
// asset is gone, for example, the result is empty, and Unreadable of the tape
// says why.
func (rec *Recording) Interaction() *interaction.Interaction {
	it, err := rec.Load()
	if err != nil {
		return new(interaction.Interaction)
	}
	return it
}

// Head returns what was recorded, perhaps without its bodies, which need not be
// read for it.
func (rec *Recording) Head() *interaction.Interaction {
	if it := rec.content.interaction.Load(); it != nil {
		return it
	}
	return rec.Interaction()
}

// Load returns what was recorded, or an error that says why it cannot be read.
func (rec *Recording) Load() (*interaction.Interaction, error) {
	it, err := rec.read()
	if err != nil {
		return nil, rec.of.unreadable(err)
	}
	rec.content.interaction.CompareAndSwap(nil, it)
	return it, nil
}

// read is Load, but keeps neither what it reads nor the error.
func (rec *Recording) read() (*interaction.Interaction, error) {
	it := rec.content.interaction.Load()
	if encoded := rec.content.encoded.Load(); encoded != nil {
		return encoded.Interaction()
	}
	if it != nil {
		return it, nil
	}
	if rec.live != nil {
		return nil, fs.ErrClosed // see Free
	}
	return rec.of.stored.Interaction(rec.number)
}

// ReadRequest returns the request as it is matched, and keeps nothing of it in
// memory. The error says why it cannot be read.
func (rec *Recording) ReadRequest() (interaction.Request, error) {
	it, err := rec.read()
	if err != nil {
		return interaction.Request{}, rec.of.unreadable(err)
	}
	return rec.redacted(it), nil
}

// write replaces what was recorded. The tape must be closed.
func (rec *Recording) write(it *interaction.Interaction) {
	rec.content.interaction.Store(it)
	rec.content.encoded.Store(nil)
	if rec.live != nil {
		rec.live.encoded = nil
	}
}

// forget gives back the memory of what this run recorded.
func (rec *Recording) forget() {
	rec.content.interaction.Store(nil)
	rec.content.form.Store(nil)
	rec.content.encoded.Store(nil)
}

// Form returns the canonical form of the request.
func (rec *Recording) Form() *canon.Form {
	if form := rec.content.form.Load(); form != nil {
		return form
	}
	req := rec.Request()
	rec.content.form.CompareAndSwap(nil, rec.of.Config.Options.Form(&req))
	return rec.content.form.Load()
}

// Peek returns the form of the request for a comparison with many recordings. A
// cassette can have more recordings than fit into memory. So Peek keeps the
// first forms that it makes, up to maxPeeked, and nothing else that it reads.
// If the recording cannot be read, Unreadable of the tape says why.
func (rec *Recording) Peek() *canon.Form {
	form := rec.content.form.Load()
	if form != nil && form.Text() != "" {
		return form
	}

	rec.viewContent(func(req *interaction.Request, _ *interaction.Response) {
		form = rec.of.Config.Options.Form(req)
	})
	if form == nil {
		return rec.Form()
	}

	peeked := rec.of.peeked.Add(int64(len(form.Text())))
	if peeked <= maxPeeked {
		rec.content.form.CompareAndSwap(nil, form)
	}
	return form
}

// viewContent calls f with the recorded request, as it is matched, and the
// response. It keeps neither in memory. It does not call f if they cannot be
// read: Load returns that error to its callers.
func (rec *Recording) viewContent(f func(req *interaction.Request, resp *interaction.Response)) {
	it, err := rec.read()
	if err != nil {
		return
	}
	req := rec.redacted(it)
	f(&req, &it.Response)
}

// requestText returns the text of the form with all of the body.
func (rec *Recording) requestText() string {
	var text string
	rec.viewContent(func(req *interaction.Request, _ *interaction.Response) {
		text = redact.WithBody(rec.Peek().Text(), req.Body)
	})
	return text
}

// Request returns the request as it is matched: redacted like an incoming one,
// whatever program wrote the file.
func (rec *Recording) Request() interaction.Request { return rec.redacted(rec.Interaction()) }

// redacted returns the request of what was recorded as it is matched. A sealed
// request was redacted by today's rules, so only secrets that have become known
// since are left to be replaced.
func (rec *Recording) redacted(it *interaction.Interaction) interaction.Request {
	req := it.Request
	if rec.isSealed && rec.of.Config.Plain {
		rec.of.redactNew(&req)
	} else {
		_ = rec.of.policy.Request(&req) // see redactNew
	}
	return req
}

// isOf reports whether this is a recording of the request of another one, as
// far as its headers are known.
func (rec *Recording) isOf(other *Recording) bool {
	form := other.Form()
	if rec.unknownHeaders && !other.unknownHeaders {
		req, own := other.Request(), rec.Request()
		known := req.KnownAs(&own)
		form = rec.of.Config.Options.Form(&known)
	}
	return rec.Form().Key() == form.Key()
}

// A requestKey is equal for two requests if their forms and traits are equal,
// so that nothing tells them apart.
type requestKey struct {
	form    uint64
	variant canon.Variant
}

func (rec *Recording) requestKey() requestKey {
	return requestKey{keyOf(rec.Form()), canon.VariantOf(rec.Form().Traits)}
}

// traits returns the traits that tell the recording apart from other
// candidates.
func (rec *Recording) traits() []canon.Trait {
	return slices.Concat(rec.Form().Traits, rec.selection.issuedIDs)
}

// keyOf returns the match key of a form as a number.
func keyOf(form *canon.Form) uint64 {
	key, _ := strconv.ParseUint(form.Key(), 16, 64)
	return key
}
