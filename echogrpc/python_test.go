package echogrpc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// debianPython is the Python for which Debian has gRPC (python3-grpcio, python3-protobuf).
const debianPython = "/usr/bin/python3"

// descriptorsOf writes the descriptors of a file, and of those that it imports, as protoc does.
func descriptorsOf(t *testing.T, file protoreflect.FileDescriptor) (path string) {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	var add func(file protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i))
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	add(file)
	body, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "service.pb")
	err = os.WriteFile(path, body, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A program in Python prints in a replay what it printed in the recorded run: calls of all kinds, and an error.
func TestPythonCallsAreRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	err := exec.Command(debianPython, "-c", "import grpc, google.protobuf").Run()
	if err != nil {
		t.Skipf("%s with grpc: %v", debianPython, err) // CI has it
	}
	descriptors := descriptorsOf(t, testpb.File_grpc_testing_test_proto)
	server, stop := serve(t)
	file := cassette(t)
	var printed []string
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode)
		t.Run("served", func(t *testing.T) {
			srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec)))
			_, address, _ := strings.Cut(srv.URL("http://"+server), "//")
			cmd := exec.CommandContext(t.Context(), debianPython, "testdata/calls.py", address, descriptors)
			cmd.Env = append(os.Environ(), srv.Env()...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("mode %v: %v", mode, err)
			}
			printed = append(printed, string(out))
		})
		err := rec.Close()
		if err != nil {
			t.Errorf("mode %v: %v", mode, err)
		}
		stop()
	}
	want := "b'hello #1' trailer\nb'hello #2' trailer\nStatusCode.NOT_FOUND gone\n" +
		"b'fine #3'\nb'fine #4'\nb'fine #5'\naggregated_payload_size: 6\n\n" +
		"b'welcome #6'\nb'you said a #7'\nb'you said b #8'\nb'bye #9'\n"
	if printed[0] != want || printed[1] != want {
		t.Errorf("the recorded run printed\n%s\na replay\n%s\nwant\n%s", printed[0], printed[1], want)
	}
}
