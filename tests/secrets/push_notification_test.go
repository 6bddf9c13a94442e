package secrets_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The token and the credentials of an Agent2Agent push notification are in no cassette.
func TestCredentialsOfPushNotificationsAreNotWritten(t *testing.T) {
	t.Parallel()
	const config = `{"url":"https://me.example/hook","token":"push4me",` +
		`"authentication":{"schemes":["Bearer"],"credentials":"cred4me"}}`
	answer := `{"jsonrpc":"2.0","id":1,"result":{"taskId":"t","pushNotificationConfig":` + config + `}}`
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(answer)))
	for _, call := range []string{
		`"id":1,"method":"tasks/pushNotificationConfig/set",` +
			`"params":{"taskId":"t","pushNotificationConfig":` + config + `}`,
		`"id":2,"method":"message/send","params":{"message":{"messageId":"m"},` +
			`"configuration":{"pushNotificationConfig":` + config + `}}`,
	} {
		must.RPC("https://agent.example", call).Ask(t, r)
	}
	must.Close(t, r)
	text := must.Read(t, file)
	for _, secret := range []string{"push4me", "cred4me"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in the cassette:\n%s", secret, text)
		}
	}
}
