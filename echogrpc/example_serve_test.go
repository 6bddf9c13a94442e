package echogrpc_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// A program in any language reaches its vector store through the recorder.
func ExampleTransport() {
	_ = func(t *testing.T) { // TestSearch
		rec := echotest.New(t)
		srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec)))
		cmd := exec.Command("python3", "search.py")
		cmd.Env = append(cmd.Environ(), "QDRANT_URL="+srv.URL("http://qdrant:6334"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// A service without a Go package is known by the file that protoc has written.
func ExampleTransport_descriptors() {
	_ = func(t *testing.T) { // TestSearch
		body, err := os.ReadFile("testdata/service.pb")
		if err != nil {
			t.Fatal(err)
		}
		service := new(descriptorpb.FileDescriptorSet)
		err = proto.Unmarshal(body, service)
		if err != nil {
			t.Fatal(err)
		}
		rec := echotest.New(t)
		srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec, service)))
		_ = srv.URL("http://shop:9000")
	}
}
