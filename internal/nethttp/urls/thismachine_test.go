package urls

import "testing"

func TestIsThisMachine(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:8080": true, "localhost.": true, "api.localhost:80": true, "127.0.0.1": true, "127.9.8.7:1": true,
		"0.0.0.0:6333": true, "[::]:6333": true, "[::1]": true, "::1": true, "::": true, "[::ffff:127.0.0.1]:5": true,
		"": false, "localhost.example.com": false, "notlocalhost": false, "10.0.0.1": false, "192.168.1.1:80": false, "128.0.0.1": false, "[2001:db8::1]": false, "example.com": false, "127.0.0.1.example.com": false,
	} {
		if got := IsThisMachine(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
