package echogrpc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
)

// A status of any code, with and without details, is replayed as the server sent it.
func TestAllCodesReplay(t *testing.T) {
	t.Parallel()
	var all program = func(ctx context.Context, c testpb.TestServiceClient) (saw string) {
		for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
			for _, details := range []bool{false, true} {
				_, err := c.UnaryCall(ctx, &testpb.SimpleRequest{
					ResponseStatus: &testpb.EchoStatus{Code: int32(code), Message: fmt.Sprintf("code %d\tß", code)},
					FillUsername:   details,
				})
				saw += describe(err) + "\n"
			}
		}
		return saw
	}
	file, address, recorded := record(t, all, promptecho.OnRecordError(promptecho.Keep))
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		if !strings.Contains(recorded, fmt.Sprintf("%s: code %d\tß [reason", code, code)) {
			t.Errorf("the recorded run did not see %s: %s", code, recorded)
		}
	}
	replayed, err := run(t, file, address, promptecho.ModeNone, all)
	if err != nil {
		t.Fatal(err)
	}
	if replayed != recorded {
		t.Errorf("recorded:\n%s\nreplayed:\n%s", recorded, replayed)
	}
}
