package echogrpc_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/proxied"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	testpb "google.golang.org/grpc/interop/grpc_testing"
)

// connectThrough returns a dialler that does what gRPC does if HTTPS_PROXY is set. The variable is not
// used, because a process reads it once.
func connectThrough(proxy string) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		at, err := url.Parse(proxy)
		if err != nil {
			return nil, err
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.Host)
		if err != nil {
			return nil, err
		}
		credentials := base64.StdEncoding.EncodeToString([]byte(at.User.String()))
		_, err = fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n",
			address, address, credentials)
		if err != nil {
			return nil, err
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil) // no byte follows before TLS begins
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the proxy says %s", resp.Status)
		}
		return conn, nil
	}
}

// A program whose address cannot be changed gets recorded answers through the proxy, over TLS.
func TestProgramBehindProxyIsServedOverTLS(t *testing.T) {
	t.Parallel()
	const target = "passthrough:///db.example.com:443"
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := cassette(t)
			address, stop := serve(t)
			rec := open(t, file, promptecho.ModeAll)
			conn := dial(t, rec, target, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", address)
			}))
			recorded := p(t.Context(), testpb.NewTestServiceClient(conn))
			conn.Close()
			stop()
			err := rec.Close()
			if err != nil {
				t.Fatal(err)
			}

			rec = open(t, file, promptecho.ModeNone)
			var replayed string
			t.Run("served", func(t *testing.T) {
				srv := echotest.Serve(t, rec, echotest.Proxy(), echotest.Through(echogrpc.Transport(rec)))
				certificates, err := os.ReadFile(srv.CertificateFile())
				if err != nil {
					t.Fatal(err)
				}
				conn, err := grpc.NewClient(target,
					grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(proxied.Roots(certificates), "")),
					grpc.WithContextDialer(connectThrough(environ.Value(srv.Env(), "HTTPS_PROXY"))))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				replayed = p(t.Context(), testpb.NewTestServiceClient(conn))
			})
			err = rec.Close()
			if err != nil || replayed != recorded {
				t.Errorf("%v\n%s\nin the recorded run\n%s", err, replayed, recorded)
			}
		})
	}
}
