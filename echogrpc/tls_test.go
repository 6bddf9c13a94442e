package echogrpc_test

import (
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	testpb "google.golang.org/grpc/interop/grpc_testing"
)

// A server with TLS is recorded by a client with dial options and behind Serve, and replays without it.
func TestServerWithTLSIsRecorded(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("SSL_CERT_FILE has no effect here, and the certificate of the server is not trusted")
	}
	certified := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1
	certified.Close()
	address, stop := serve(t, grpc.Creds(credentials.NewServerTLSFromCert(&certified.TLS.Certificates[0])))

	ways := map[string]func(*testing.T, *promptecho.Recorder) *grpc.ClientConn{
		"DialOptions": func(t *testing.T, rec *promptecho.Recorder) *grpc.ClientConn {
			withTLS := grpc.WithTransportCredentials(credentials.NewTLS(nil))
			conn, err := grpc.NewClient(address, append(echogrpc.DialOptions(rec), withTLS)...)
			if err != nil {
				t.Fatal(err)
			}
			return conn
		},
		"Serve": func(t *testing.T, rec *promptecho.Recorder) *grpc.ClientConn {
			srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec)))
			return dialServed(t, srv, "https://"+address)
		},
	}
	recorded := map[string]string{}
	for way := range ways {
		recorded[way] = cassette(t)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		for way, dial := range ways {
			t.Run(way+"/"+string(mode), func(t *testing.T) {
				rec := open(t, recorded[way], mode)
				t.Run("program", func(t *testing.T) {
					conn := dial(t, rec)
					defer conn.Close()
					reply, err := testpb.NewTestServiceClient(conn).UnaryCall(t.Context(),
						&testpb.SimpleRequest{Payload: payload("hello")})
					got := string(reply.GetPayload().GetBody())
					if err != nil || !strings.Contains(got, "hello") {
						t.Errorf("got %q, %v", got, err)
					}
				})
				err := rec.Close()
				if err != nil {
					t.Error(err)
				}
			})
		}
		stop() // before the replays
	}
}
