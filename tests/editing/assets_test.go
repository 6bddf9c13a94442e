package editing_test

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// If the file of an answer is missing, its request and the run fail; other requests are answered.
//
// The run fails even if the program ignores the error.
func TestMissingAssetFailsTheRequestThatNeedsIt(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 200_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32() | 0x80)
	}
	file := must.Save(t, must.Chats("one", "first", "two", string(noise)))
	removeAssets(t, file)

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	wantAnswer(t, rec, "one", "first")
	wantError(t, "the request", askForError(t, rec, must.ChatBody("two")), "restore it, or record again")
	wantError(t, "Close", rec.Close(), "response.body_file: asset")
}

// If the file of a recorded request is missing, a request in another spelling fails.
//
// The two have to be compared, and a picture of the recorded one is in that file.
func TestMissingAssetOfARequestFailsWhatIsComparedWithIt(t *testing.T) {
	t.Parallel()
	picture := "data:image/png;base64," + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("\x00\x81"), 9000))
	file := must.Save(t, must.Chats(picture, "first"))
	removeAssets(t, file)

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	spelledOtherwise := " " + must.ChatBody(picture)
	wantError(t, "the request", askForError(t, rec, spelledOtherwise), "restore it, or record again")
	rec.Close()
}
