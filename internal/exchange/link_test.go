package exchange

import (
	"errors"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A failingLink is a session whose other side fails after the program has sent its last message.
type failingLink struct{ err error }

func (failingLink) Send(interaction.Message) error       { return nil }
func (l failingLink) Recv() (interaction.Message, error) { return interaction.Message{}, l.err }

// A session that fails after the program has sent its last message is recorded with the error: only
// one side has ended it.
func TestRecordedLinkFailsAfterCloseSend(t *testing.T) {
	t.Parallel()
	var got interaction.Response
	link := CaptureLink(t.Context(), failingLink{errors.New("overloaded")}, time.Now(), LinkSink{
		SessionSink: SessionSink{
			Pending: new(Pending),
			Sent: func(m interaction.Message) (interaction.Message, []byte, bool) {
				return m, nil, true
			},
			Finish: func(resp *interaction.Response, _ int64) { got = *resp },
		},
		Failed: func(err error) (string, []string) { return err.Error(), nil },
	})
	err := link.Send(interaction.Message{Kind: interaction.Close})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = link.Recv()
	if got.End != interaction.EndError || got.Error != "overloaded" {
		t.Errorf("the recording ends with %q, %q", got.End, got.Error)
	}
}
