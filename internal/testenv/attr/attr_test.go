package attr

import "testing"

// A recorder that did nothing has nothing to say.
func TestNothing(t *testing.T) {
	t.Parallel()
	new(Done).Write(func(key, value string) { t.Errorf("%s=%s", key, value) })
}
