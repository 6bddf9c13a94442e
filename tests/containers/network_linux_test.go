package containers_test

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A container is a network namespace. A pair of virtual network devices connects it with this
// machine, and each has an address on it.
type container struct {
	namespace string
	host      string // the address of this machine
	address   string // of the container
}

// newContainer makes a container in which some names lead to this machine. It is removed when the
// test ends. That of a test that was killed is removed by a later test.
func newContainer(t *testing.T, names ...string) *container {
	t.Helper()
	needNamespaces(t)
	removeAbandoned(t)
	number := addNetwork(t)
	host, address := addressesOf(number)
	c := &container{namespace: namespaceOf(os.Getpid(), number), host: host, address: address}

	c.lead(t, c.host, names...)

	run(t, "ip", "address", "add", c.host+"/30", "dev", deviceOf(number))
	run(t, "ip", "link", "set", deviceOf(number), "up")
	run(t, "ip", "-n", c.namespace, "address", "add", c.address+"/30", "dev", "eth0")
	run(t, "ip", "-n", c.namespace, "link", "set", "eth0", "up")
	run(t, "ip", "-n", c.namespace, "link", "set", "lo", "up")
	return c
}

// lead makes names lead to an address, in the container.
func (c *container) lead(t *testing.T, address string, names ...string) {
	t.Helper()
	// "ip netns exec" mounts the files of this folder in /etc.
	etc := etcOf(c.namespace)
	err := os.MkdirAll(etc, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	hosts := fmt.Sprintf("127.0.0.1 localhost\n%s %s\n", address, strings.Join(names, " "))
	err = os.WriteFile(filepath.Join(etc, "hosts"), []byte(hosts), 0o644)
	if err != nil {
		t.Fatal(err)
	}
}

// command returns a command that runs in the container, with these variables and no others.
func (c *container) command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	args = append([]string{"netns", "exec", c.namespace}, args...)
	cmd := exec.CommandContext(t.Context(), "ip", args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	return cmd
}

// needNamespaces skips the test where no network namespaces can be made, and where the programs
// are not that the tests run in them.
func needNamespaces(t *testing.T) {
	t.Helper()
	const why = "a network namespace stands for a container, and cannot be used here: "
	if os.Getuid() != 0 {
		t.Skip(why + "run the tests as root")
	}
	for program, pack := range map[string]string{
		"ip":               "iproute2",
		"curl":             "curl",
		"/usr/bin/python3": "python3",
	} {
		_, err := exec.LookPath(program)
		if err != nil {
			t.Skipf(why+"install %s, which has %s", pack, program)
		}
	}

	// The superuser of a container may not be allowed to make one.
	probe := fmt.Sprintf("promptecho-probe-%d", os.Getpid())
	probing.Lock()
	defer probing.Unlock()
	out, err := exec.Command("ip", "netns", "add", probe).CombinedOutput()
	if err != nil {
		t.Skipf(why+"%v: %s", err, out)
	}
	run(t, "ip", "netns", "delete", probe)
}

// probing keeps the tests of this process from making the same namespace at once.
var probing sync.Mutex

// numbers is how many networks there are: 198.18.0.0/15, which is for tests of networks (RFC 2544,
// appendix C.2.2), has this many of four addresses.
const numbers = 1 << 15

// lastNumber is the number of the last network that this process has tried to add.
var lastNumber atomic.Int64

// addNetwork adds a namespace and the devices that connect it, and returns their number. The name
// of the device is unique on this machine, so that no two tests have one network.
func addNetwork(t *testing.T) (number int) {
	t.Helper()
	for range numbers {
		number = int(lastNumber.Add(1)+int64(os.Getpid())) % numbers
		if hasDevice(number) {
			continue
		}
		namespace := namespaceOf(os.Getpid(), number)
		run(t, "ip", "netns", "add", namespace)
		t.Cleanup(func() { remove(namespace) })
		out, err := exec.Command("ip", "link", "add", deviceOf(number), "type", "veth",
			"peer", "name", "eth0", "netns", namespace).CombinedOutput()
		if err == nil {
			return number
		}
		if !hasDevice(number) { // otherwise another process has made it meanwhile
			t.Fatalf("ip link add: %v\n%s", err, out)
		}
	}
	t.Fatal("all networks are used")
	return 0
}

// addressesOf returns the addresses of this machine and of the container in a network.
func addressesOf(number int) (host, address string) {
	first := netip.MustParseAddr("198.18.0.0").As4()
	first[1] += byte(number >> 14)
	first[2] = byte(number >> 6)
	first[3] = byte(number << 2)
	network := netip.AddrFrom4(first)
	return network.Next().String(), network.Next().Next().String()
}

// namespaceOf returns the name of the namespace of a network that a process has made.
func namespaceOf(pid, number int) string { return fmt.Sprintf("promptecho-%d-%d", pid, number) }

// deviceOf returns the name of the device of this machine in a network. Linux takes 15 bytes.
func deviceOf(number int) string { return fmt.Sprintf("promptecho%d", number) }

// etcOf returns the folder with the files that a namespace has in /etc.
func etcOf(namespace string) string { return filepath.Join("/etc/netns", namespace) }

func hasDevice(number int) bool {
	_, err := os.Stat(filepath.Join("/sys/class/net", deviceOf(number)))
	return err == nil
}

// remove removes a namespace, with its devices, and its files, as far as they are there.
func remove(namespace string) {
	_ = exec.Command("ip", "netns", "delete", namespace).Run()
	_ = os.RemoveAll(etcOf(namespace))
}

// removeAbandoned removes the namespaces of processes that have ended without it.
func removeAbandoned(t *testing.T) {
	t.Helper()
	found, err := filepath.Glob("/run/netns/promptecho-*-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		var pid, number int
		namespace := filepath.Base(path)
		_, err := fmt.Sscanf(namespace, "promptecho-%d-%d", &pid, &number)
		if err != nil {
			continue // not one of these tests
		}
		_, err = os.Stat(fmt.Sprintf("/proc/%d", pid))
		if err != nil {
			remove(namespace)
		}
	}
}

// run runs a command that must succeed.
func run(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
